package dev.tandem.server.inspect;

import dev.tandem.executor.TaskLimit;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateView;
import dev.tandem.task.store.RunningTask;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
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

    /** At how many tasks one request looks that searches for some. */
    int LOOKED_AT = 5_000;

    /** At how many tasks a page for people looks at a time: so many take Redis less than ten milliseconds. */
    int LOOKED_AT_BY_PAGES = 500;

    /** Returns the partitions of a queue by name, numbers in numerical order. */
    List<PartitionInfo> partitions(String queue);

    /** Returns what is known of several queues, and says of which nothing is. Takes no longer than a question about one. */
    default Overview overview(Collection<String> queues) {
        Map<String, QueueFacts> facts = new LinkedHashMap<>();
        for (String queue : queues) {
            try {
                PermitView limit = limits(List.of(TaskLimit.nameOfQueue(queue))).stream()
                        .findFirst()
                        .orElse(null);
                facts.put(queue, new QueueFacts(partitions(queue), isPaused(queue), pausedTasks(queue), limit, null));
            } catch (UnavailableException e) {
                facts.put(queue, QueueFacts.unknown(String.valueOf(e.getMessage())));
            }
        }
        try {
            return new Overview(facts, handlers());
        } catch (UnavailableException e) {
            return new Overview(facts, Map.of());
        }
    }

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
    default Page<TaskInfo> tasks(
            String queue,
            @Nullable TaskState state,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen) {
        return tasks(queue, state, partition, cursor, limit, chosen, LOOKED_AT);
    }

    /** Lists tasks as {@link #tasks(String, TaskState, String, String, int, Predicate)}. @param lookAt at how many tasks it looks */
    Page<TaskInfo> tasks(
            String queue,
            @Nullable TaskState state,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen,
            int lookAt);

    /**
     * Lists dead tasks that died then or later, of each partition the latest first, and reads no others.
     *
     * @param partition only the tasks of this partition; null for all
     * @param cursor from the previous page; null for the first page
     * @param chosen looks for such tasks, as far as one request may go; null for all
     * @param lookAt at how many tasks it looks
     * @throws IllegalArgumentException if the cursor is not from such a page
     */
    Page<TaskInfo> deadSince(
            String queue,
            Instant diedAfter,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen,
            int lookAt);

    Optional<TaskInfo> task(String queue, TaskRef ref);

    /**
     * Returns what the store knows of some offsets of a log, without those of which it knows nothing. There should be few: each
     * may cost a search among those that have succeeded.
     */
    default Map<Long, TaskInfo> atOffsets(String queue, String partition, List<Long> offsets) {
        return Map.of();
    }

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
     * Asks executors what they have in memory of a key or a task. Waits for the owner of its partition; if it is not known which
     * that is, for somebody who has something of it, or for all owners. A second at most; a fifth of one if it is asked how many
     * tasks there are.
     *
     * @param owners those who own partitions of the queue
     */
    default HeldAnswer held(String queue, HeldQuestion question, Set<String> owners) {
        return HeldAnswer.NONE;
    }

    /** Returns the ids of the executors that were seen lately. */
    default Set<String> liveExecutors() {
        return Set.of();
    }

    /**
     * Returns the dead tasks by type and error of each of some partitions, which are asked at once.
     *
     * @param most how many groups of each, those with the most tasks
     */
    default Map<Partition, DeadGroups> deadGroups(List<Partition> partitions, int most) {
        return Map.of();
    }

    /**
     * Returns claimed tasks of partitions of a queue: of each partition those that were claimed first, out of about eight times as
     * many, but 500 at most.
     *
     * @param limit of each partition, 500 at most
     */
    default List<ClaimedTask> claimed(String queue, List<String> partitions, int limit) {
        return List.of();
    }

    /**
     * Asks executors which tasks they run. Waits for all of them, half a second at most.
     *
     * @param executors whom to ask, by queue
     * @return the answers, by queue and executor, without those that have not come
     */
    default Map<String, Map<String, List<RunningTask>>> running(Map<String, Set<String>> executors) {
        return Map.of();
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

    /**
     * Returns the same, without reading again which partitions they own.
     *
     * @param all the overview of all queues
     * @throws UnavailableException if the store does not answer, or did not for one of the queues
     */
    default List<ExecutorInfo> executors(Overview all) {
        return executors();
    }

    /** Returns the names of the limits over several executors that were used lately or have an override. */
    default LimitNames limits() {
        return LimitNames.NONE;
    }

    /** Returns who has permits of these limits, and who wants some. Unknown limits have none. */
    default List<PermitView> limits(List<String> names) {
        return List.of();
    }

    /** Returns the names of the rate limits that were used lately or have an override. */
    default LimitNames rateLimits() {
        return LimitNames.NONE;
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
