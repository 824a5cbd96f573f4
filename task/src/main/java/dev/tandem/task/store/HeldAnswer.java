package dev.tandem.task.store;

import java.util.List;
import java.util.Set;

/**
 * What executors answer to a {@link HeldQuestion}.
 *
 * @param tasks what they have in memory, at most {@link Registration.Registrant#MOST_FOUND} of each: what runs comes first, then
 *     what waits at a gate, then what waits for its turn
 * @param partitions the partition that was named, and others in which they have something, or to which something may come that
 *     their full memory keeps away; all, if the question was how many tasks they have; only those that they own
 * @param executors who has answered, even if it has nothing
 */
public record HeldAnswer(List<HeldTask> tasks, List<PartitionReport> partitions, Set<String> executors) {

    /** Nobody has answered. */
    public static final HeldAnswer NONE = new HeldAnswer(List.of(), List.of(), Set.of());

    /** Whether somebody has a task that was asked about. */
    public boolean hasAny() {
        return !tasks.isEmpty() || partitions.stream().anyMatch(PartitionReport::hasAny);
    }
}
