package dev.tandem.server.inspect;

import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Port: reads tasks, keys and partitions from the store. The cost of a call does not grow with the number of tasks.
 * Thread-safe. All methods may throw {@link UnavailableException}.
 */
public interface Inspection {

    /** Returns the partitions of a queue by name, numbers in numerical order. */
    List<PartitionInfo> partitions(String queue);

    boolean isPaused(String queue);

    /** Returns the types and keys of which no task starts, beside the whole queue. */
    PausedTasks pausedTasks(String queue);

    /**
     * Lists the tasks in a state, or in all: those that run, those that wait for their time (by due time), the parked, the
     * dead and the succeeded.
     *
     * @param state null for all
     * @param partition only the tasks of this partition; null for all
     * @param cursor from the previous page; null for the first page
     * @param chosen looks for such tasks, as far as one request may go; null for all
     * @throws IllegalArgumentException if the cursor is not from such a page
     */
    Page<TaskInfo> tasks(
            String queue,
            @Nullable TaskState state,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen);

    Optional<TaskInfo> task(String queue, TaskRef ref);

    /** Finds tasks by their id, at most 20. Not every task can be found by its id. */
    List<TaskInfo> byId(String queue, String id);

    /**
     * Asks executors for the tasks with an id that they have in their memory. Of these the store may know nothing, or only that
     * they are claimed. Waits for an answer, half a second at most.
     *
     * @param id the id, or the partition, a slash and the position
     */
    default List<TaskInfo> inExecutors(String queue, String id) {
        return List.of();
    }

    /**
     * Asks executors what they have in memory of a key or a task. Waits for the owner of its partition, or for anybody who has
     * something if it is not known which that is; a second at most.
     */
    default HeldAnswer explain(String queue, HeldQuestion question) {
        return HeldAnswer.NONE;
    }

    /** Returns the ids of the executors that were seen lately. */
    default Set<String> liveExecutors() {
        return Set.of();
    }

    /** Lists blocked keys. @param cursor as for tasks */
    Page<KeyInfo> keys(String queue, @Nullable String cursor, int limit);

    /** Finds a blocked key, in several partitions if their number has changed. Empty if it is not blocked. */
    List<KeyInfo> key(String queue, String key);

    /** Returns the first tasks that are parked behind the head of a key in one partition, in order. */
    List<TaskInfo> parkedBehind(String queue, String partition, String key, int limit);

    /** Returns what is known of a deduplication key. Empty if nothing is, so that it is free. */
    Optional<DedupKeyInfo> dedupKey(String queue, String key);

    /** Returns the changes of a queue to more partitions that are under way, the oldest first. */
    default List<GrowthInfo> growths(String queue) {
        return List.of();
    }

    /** Returns how many partitions executors of a queue have noticed last. Empty if none has recorded it. */
    default OptionalInt noticedPartitions(String queue) {
        return OptionalInt.empty();
    }

    List<ExecutorInfo> executors();

    /** Returns the names of the limits over several executors that were used lately. */
    default List<String> limits() {
        return List.of();
    }

    /** Returns who has permits of these limits, and who wants some. Unknown limits have none. */
    default List<PermitView> limits(List<String> names) {
        return List.of();
    }

    /** Returns the names of the rate limits that were used lately. */
    default List<String> rateLimits() {
        return List.of();
    }

    /** Returns these rate limits, without unknown ones. @param buckets how many buckets of each to name */
    default List<RateView> rateLimits(List<String> names, int buckets) {
        return List.of();
    }

    /** Returns what the executors of each queue say of their handlers. A queue of which none says anything is left out. */
    default Map<String, QueueHandlers> handlers() {
        return Map.of();
    }
}
