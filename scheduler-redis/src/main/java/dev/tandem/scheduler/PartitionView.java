package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one partition at one moment.
 *
 * @param owner the executor that owns it, or owned it last; null if none ever did
 * @param leaseMillis the rest of its lease; 0 if the lease has ended
 * @param incarnation the current incarnation
 * @param storedCommit the committed offset as the store last heard it: all offsets below it are settled; -1: none
 * @param highWater one above the highest offset that any owner named
 * @param tasks the count of tasks in each state; for succeeded ones, of the samples that earlier versions kept
 * @param blockedKeys the count of blocked keys
 * @param totals since the beginning: {@code succeeded}, {@code retried}, {@code dead}, {@code lapsed}, {@code replayed},
 *     {@code cancelled}; a missing one is 0
 * @param eventBytes of the events that are not published yet
 * @param inLines how many of the scheduled tasks wait for the turns of their tenants
 * @param overdueMillis for how long the first task has been due that waits for its time and that nobody has taken; -1 if none is due
 */
public record PartitionView(
        Partition partition,
        @Nullable String owner,
        long epoch,
        long leaseMillis,
        long incarnation,
        long storedCommit,
        long highWater,
        Map<TaskState, Long> tasks,
        long blockedKeys,
        Map<String, Long> totals,
        long eventBytes,
        long inLines,
        long overdueMillis) {}
