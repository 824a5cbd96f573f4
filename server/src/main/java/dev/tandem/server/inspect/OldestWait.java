package dev.tandem.server.inspect;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says for how long the oldest task of a queue has waited that could start. Pure. */
public final class OldestWait {

    private OldestWait() {}

    /**
     * Returns the milliseconds of a partition; 0 if no task waits. Null if that is not known: its owner does not say it, or it has none
     * and tasks wait in the broker, of which nobody knows how old they are.
     *
     * @param lags as {@link Backlog} has them
     */
    public static @Nullable Long of(PartitionInfo partition, Map<String, Long> lags) {
        Long known = partition.oldestWaitMillis();
        boolean inBroker = partition.owner() == null && lags.getOrDefault(partition.partition(), 0L) > 0;
        return known != null && known == 0 && inBroker ? null : known;
    }

    /** Whether somebody has owned the partition to which messages belong. Those of the whole queue are given to any. */
    private static boolean isOfOneOf(Set<String> names, String partition) {
        return partition.isEmpty() ? !names.isEmpty() : names.contains(partition);
    }

    /** Returns the longest of a queue's partitions; null if none is known to have one, and one of them does not say it. */
    public static @Nullable Long of(List<PartitionInfo> partitions, Map<String, Long> lags) {
        long longest = 0;
        Set<String> names = partitions.stream().map(PartitionInfo::partition).collect(Collectors.toSet());
        boolean unknown = partitions.isEmpty() && lags.isEmpty()
                || lags.entrySet().stream().anyMatch(lag -> lag.getValue() > 0 && !isOfOneOf(names, lag.getKey()));
        for (PartitionInfo partition : partitions) {
            Long known = of(partition, lags);
            unknown |= known == null;
            longest = Math.max(longest, known == null ? 0 : known);
        }
        return longest == 0 && unknown ? null : Long.valueOf(longest);
    }
}
