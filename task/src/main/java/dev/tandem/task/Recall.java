package dev.tandem.task;

import java.util.BitSet;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * A request to read records of a log again that were passed over, since there was no room for them.
 *
 * <p>Only records with a wanted offset and a wanted task are delivered. Reading ends at {@code upTo}, or when enough was
 * found.
 *
 * @param id the number of the request, which its answer repeats
 * @param from the first offset that is read
 * @param upTo the offset behind the last one that is read
 * @param wanted the offsets that were passed over: bit 0 is {@code from}
 * @param tasks says whose tasks are wanted, by their keys or tenants: too many to be copied, so they may change while the log is
 *     read, and any thread may ask. What was found of one that is not wanted any more does not count
 * @param maxTasks reading ends once so many were found, 1 or more
 * @param maxBytes reading ends once the tasks found have so many bytes in memory, 1 or more
 */
public record Recall(long id, long from, long upTo, BitSet wanted, Predicate<Task> tasks, int maxTasks, long maxBytes) {

    public Recall {
        Objects.requireNonNull(wanted, "wanted");
        Objects.requireNonNull(tasks, "tasks");
    }

    /** Whether the record at an offset was passed over. Its task has still to be looked at. */
    public boolean wants(long offset) {
        return offset >= from && offset < upTo && wanted.get((int) (offset - from));
    }

    /** Whether a task is one of those that are wanted. */
    public boolean wants(Task task) {
        return tasks.test(task);
    }
}
