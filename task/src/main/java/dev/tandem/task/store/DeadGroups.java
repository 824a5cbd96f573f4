package dev.tandem.task.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The dead tasks of a queue by type and error.
 *
 * @param dead how many dead tasks there are
 * @param ungrouped how many of them are known to be in no group: they died under an earlier version
 * @param halting how many keys dead tasks halt, including those of groups left out here
 * @param partial whether there are groups that are not among these, or whose numbers are not complete here
 * @param groups those with the most tasks first
 */
public record DeadGroups(long dead, long ungrouped, long halting, boolean partial, List<DeadGroup> groups) {

    public static final DeadGroups NONE = new DeadGroups(0, 0, 0, false, List.of());

    /** Adds up what several partitions have. @param most how many groups are kept */
    public static DeadGroups sum(List<DeadGroups> partitions, int most) {
        Map<String, DeadGroup> byFingerprint = new LinkedHashMap<>();
        long dead = 0;
        long ungrouped = 0;
        long halting = 0;
        boolean partial = false;
        for (DeadGroups partition : partitions) {
            dead += partition.dead;
            ungrouped += partition.ungrouped;
            halting += partition.halting;
            partial |= partition.partial;
            partition.groups.forEach(group -> byFingerprint.merge(group.fingerprint(), group, DeadGroup::and));
        }
        List<DeadGroup> all = new ArrayList<>(byFingerprint.values());
        all.sort(Comparator.comparingLong(DeadGroup::count)
                .reversed()
                .thenComparing(Comparator.comparingLong(DeadGroup::lastDied).reversed()));
        return new DeadGroups(
                dead,
                ungrouped,
                halting,
                partial || all.size() > most,
                List.copyOf(all.subList(0, Math.min(most, all.size()))));
    }
}
