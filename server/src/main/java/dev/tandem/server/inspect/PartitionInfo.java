package dev.tandem.server.inspect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One partition as Redis knows it.
 *
 * @param owner the executor that holds it; null if none does
 * @param totals how often each thing happened since the beginning, see {@link #TOTALS}
 * @param full the key behind which the most tasks are parked, if the partition takes in no more of them; else null
 */
public record PartitionInfo(
        String partition,
        @Nullable String owner,
        long blockedKeys,
        TaskCounts counts,
        Map<String, Long> totals,
        @Nullable KeyInfo full) {

    /**
     * What is counted: successes; failed attempts that are tried again; tasks that died; claims whose lease ran out; dead
     * tasks that an operator called again; tasks that one cancelled.
     */
    public static final List<String> TOTALS =
            List.of("succeeded", "retried", "dead", "lapsed", "replayed", "cancelled");

    /** All of these together, with every total there. */
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
