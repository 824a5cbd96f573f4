package dev.tandem.server.inspect;

import dev.tandem.task.TaskState;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Port: reads what Redis holds. Every call costs the same however many tasks there are. Thread-safe; all may throw
 * {@link UnavailableException}.
 */
public interface Inspection {

    /** The partitions of a queue, by name; numbers in their order. */
    List<PartitionInfo> partitions(String queue);

    boolean isPaused(String queue);

    /**
     * @param partition only of this one; null for all
     * @param cursor from a page before; null for the first
     * @throws IllegalArgumentException if the cursor is of no such page
     */
    Page<TaskInfo> tasks(String queue, TaskState state, @Nullable String partition, @Nullable String cursor, int limit);

    Optional<TaskInfo> task(String queue, TaskRef ref);

    /** Those that carry this id, as far as they can be found by it. At most 20. */
    List<TaskInfo> byId(String queue, String id);

    /** Blocked keys. @param cursor as for tasks */
    Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit);

    /** The same key may be blocked in several partitions, after their number changed. Empty: not blocked. */
    List<KeyInfo> key(String queue, String key);

    List<ExecutorInfo> executors();
}
