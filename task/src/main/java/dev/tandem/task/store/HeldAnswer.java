package dev.tandem.task.store;

import java.util.List;

/**
 * What executors answer to a {@link HeldQuestion}.
 *
 * @param tasks what they have in memory, at most {@link Registration.Registrant#MOST_FOUND} of each: what runs comes first, then
 *     what waits at a gate, then what waits for its turn
 * @param partitions the partition that was named, and others in which they have something; only those that they own
 */
public record HeldAnswer(List<HeldTask> tasks, List<HeldPartition> partitions) {

    /** Nobody has answered. */
    public static final HeldAnswer NONE = new HeldAnswer(List.of(), List.of());

    /** Whether nobody has answered. */
    public boolean isEmpty() {
        return tasks.isEmpty() && partitions.isEmpty();
    }
}
