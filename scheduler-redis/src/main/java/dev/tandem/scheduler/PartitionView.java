package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One partition in numbers, at one moment.
 *
 * @param owner the executor that owns it or did last; null if none ever did
 * @param leaseMillis how long its lease still lives; 0 if it does not
 * @param incarnation the current one
 * @param mirror offsets below it are settled and committed; -1: none
 * @param highWater one above the highest offset that was settled out of order
 * @param tasks how many there are in each state; of the succeeded, the kept sample
 * @param blockedKeys keys that wait for their head
 * @param totals since the beginning: {@code succeeded}, {@code retried}, {@code dead}, {@code lapsed}, {@code replayed},
 *     {@code cancelled}; a missing one is 0
 */
public record PartitionView(
        Partition partition,
        @Nullable String owner,
        long epoch,
        long leaseMillis,
        long incarnation,
        long mirror,
        long highWater,
        Map<TaskState, Long> tasks,
        long blockedKeys,
        Map<String, Long> totals) {}
