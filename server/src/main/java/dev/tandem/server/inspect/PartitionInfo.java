package dev.tandem.server.inspect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One partition as the store knows it.
 *
 * @param owner the executor that owns it; null if none does
 * @param totals counters since the partition was created, see {@link #TOTALS}
 * @param eventBytes of the events that are not published yet
 * @param inLines how many of the scheduled tasks wait for the turns of their tenants
 * @param oldestWaitMillis for how long the oldest task has waited that could start, as far as the owner and the store know; 0 if none
 *     waits; null if there is an owner that does not say it
 * @param full the key behind which the most tasks are parked, if Redis parks no more of them; else null
 */
public record PartitionInfo(
        String partition,
        @Nullable String owner,
        long blockedKeys,
        TaskCounts counts,
        Map<String, Long> totals,
        long eventBytes,
        long inLines,
        @Nullable Long oldestWaitMillis,
        @Nullable KeyInfo full) {

    /**
     * The names of the counters: successes; failed attempts that were retried; tasks that died; lapsed claims; dead
     * tasks that an operator retried; tasks that an operator cancelled; tasks whose time was over before they ran.
     */
    public static final List<String> TOTALS =
            List.of("succeeded", "retried", "dead", "lapsed", "replayed", "cancelled", "expired");

    /** Returns the sums over all partitions, with an entry for every counter. */
    public static Map<String, Long> totals(List<PartitionInfo> partitions) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (String name : TOTALS) {
            sums.put(
                    name,
                    partitions.stream()
                            .mapToLong(each -> each.totals().getOrDefault(name, 0L))
                            .sum());
        }
        return sums;
    }
}
