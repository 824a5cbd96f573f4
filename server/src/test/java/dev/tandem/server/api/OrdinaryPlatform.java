package dev.tandem.server.api;

import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The content of an {@link InMemoryPlatform} unless a test says otherwise. */
final class OrdinaryPlatform {

    static final List<ExecutorInfo> EXECUTORS = List.of(new ExecutorInfo(
            "host-1",
            "host",
            null,
            Instant.parse("2026-11-20T10:00:00Z"),
            List.of(new ExecutorInfo.Share("orders", 2, 3))));

    static final List<PartitionInfo> PARTITIONS = List.of(
            new PartitionInfo(
                    "0",
                    "host-1",
                    1,
                    new TaskCounts(1, 2, 3, 4, 5, 6),
                    Map.of("succeeded", 6L, "retried", 7L),
                    300,
                    0,
                    0L,
                    null),
            new PartitionInfo("1", null, 0, new TaskCounts(1, 0, 0, 0, 0, 0), Map.of("retried", 1L), 40, 0, 0L, null));

    static final Map<String, Map<String, Long>> LAGS = Map.of("orders", Map.of("0", 7L, "2", 5L));

    /** Returns a partition of this name with a dead task that halts its key. */
    static PartitionInfo halting(String name) {
        return new PartitionInfo(name, "host-1", 1, new TaskCounts(0, 0, 0, 0, 1, 0), Map.of(), 0, 0, 0L, null);
    }

    /** Returns so many of these that not all are read. */
    static List<PartitionInfo> tooManyHalting(String names) {
        return halting(names, 201);
    }

    /** Returns so many partitions, each with one halted key. */
    static List<PartitionInfo> halting(String names, int count) {
        return IntStream.range(0, count).mapToObj(i -> halting(names + i)).toList();
    }

    /** Whether a partition is the one that has all groups of dead tasks of its queue. */
    static boolean hasGroups(String name, List<PartitionInfo> partitions) {
        return partitions.stream()
                .filter(each -> each.counts().dead() > 0)
                .max(Comparator.comparingLong(PartitionInfo::blockedKeys))
                .filter(each -> each.partition().equals(name))
                .isPresent();
    }

    private OrdinaryPlatform() {}
}
