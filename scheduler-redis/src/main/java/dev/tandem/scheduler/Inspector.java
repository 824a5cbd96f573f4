package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.TaskEnd;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Inspects queues and changes nothing. A query costs the same however many tasks there are. A future fails when Redis
 * cannot be reached or does not answer in time. Thread-safe.
 */
public final class Inspector {

    /** The most tasks or keys in one page. */
    public static final int MAX_PAGE = 1_000;

    private static final Set<TaskState> TO_RUN =
            EnumSet.of(TaskState.SCHEDULED, TaskState.RETRY, TaskState.PARKED, TaskState.ACTIVE);

    private final AdminConnection connection;
    private final TaskFinder finder;
    private final EndedTaskLister ended;
    private final KeyInspector keys;

    Inspector(AdminConnection connection) {
        this.connection = connection;
        SuccessFinder successes = new SuccessFinder(connection);
        ended = new EndedTaskLister(this, successes);
        finder = new TaskFinder(connection, successes);
        keys = new KeyInspector(this);
    }

    /** Returns the partitions of a queue that were ever used. Numbers are in numerical order. */
    public CompletableFuture<List<Partition>> partitions(String queue) {
        return connection
                .run(commands -> commands.smembers(connection.keys().partitions(queue)))
                .thenApply(names -> names.stream()
                        .map(name -> new Partition(queue, new String(name, StandardCharsets.UTF_8)))
                        .sorted(Comparator.comparing(
                                        (Partition each) -> each.name().length())
                                .thenComparing(Partition::name))
                        .toList());
    }

    /** Returns the numbers of every partition of a queue. */
    public CompletableFuture<List<PartitionView>> counts(String queue) {
        return partitions(queue).thenCompose(partitions -> Futures.all(partitions, this::counts));
    }

    /** Returns the partitions of a queue, besides those excepted, with tasks that are to run, or do. */
    CompletableFuture<List<Partition>> heldPartitions(String queue, Collection<Partition> except) {
        return partitions(queue)
                .thenCompose(partitions -> Futures.all(
                        partitions.stream()
                                .filter(partition -> !except.contains(partition))
                                .toList(),
                        this::counts))
                .thenApply(views -> views.stream()
                        .filter(Inspector::hasTasksToRun)
                        .map(PartitionView::partition)
                        .toList());
    }

    /**
     * Returns the partitions of a queue that nobody owns, so that their tasks wait: of those that the broker has, and of the
     * others with tasks that are to run.
     *
     * @param ofBroker the names of the broker's partitions, as far as they are known
     */
    public CompletableFuture<List<Partition>> unowned(String queue, Collection<String> ofBroker) {
        return new UnownedPartitions(connection, this).find(queue, ofBroker);
    }

    static boolean hasTasksToRun(PartitionView view) {
        return TO_RUN.stream().anyMatch(state -> view.tasks().getOrDefault(state, 0L) > 0);
    }

    /** Returns the numbers of a partition. */
    public CompletableFuture<PartitionView> counts(Partition partition) {
        return inspect(partition, "counts")
                .thenApply(reply -> InspectionReply.partition(partition, new ReplyReader(reply)));
    }

    /**
     * Lists tasks in one state: scheduled and retried ones by due time, active ones in no order, parked ones
     * by key and order, dead and otherwise ended ones latest first.
     *
     * @param cursor the cursor that the previous page returned; null for the first page
     * @param limit 1 to {@link #MAX_PAGE}; a page has at most 500 tasks, or those of 1 MiB and one more, and may even have
     *     none although there is a next one
     * @throws IllegalArgumentException if the limit, the state or the cursor is not allowed
     */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            Partition partition, TaskState state, @Nullable String cursor, int limit) {
        requireLimit(limit);
        if (state == TaskState.DELIVERED) {
            throw new IllegalArgumentException(
                    "The state is " + state + ", but Redis keeps no such tasks: ask for another state");
        }
        TaskEnd end = SuccessFinder.endOf(state);
        if (end != null) {
            return ended.page(partition, end, cursor, limit, ReadBudget.forList());
        }
        return stored(partition, state, cursor, limit);
    }

    /**
     * Returns the tasks that were claimed first of each partition, out of about eight times as many, but 500 at most, with no more
     * notes than their progress.
     */
    public CompletableFuture<List<TaskView>> running(List<Partition> partitions, int limit) {
        requireLimit(limit);
        return Futures.all(
                        partitions,
                        partition -> inspect(partition, "running", Integer.toString(limit))
                                .thenApply(reply -> InspectionReply.running(partition, new ReplyReader(reply))))
                .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
    }

    /** Lists tasks of one state as the store holds them. */
    CompletableFuture<ResultPage<TaskView>> stored(
            Partition partition, TaskState state, @Nullable String cursor, int limit) {
        return stored(partition, state, cursor, limit, "");
    }

    /** Lists dead tasks that died at a time or later, by Redis's clock. Redis reads no others. */
    CompletableFuture<ResultPage<TaskView>> deadSince(
            Partition partition, long sinceMillis, @Nullable String cursor, int limit) {
        return stored(partition, TaskState.DEAD, cursor, limit, Long.toString(sinceMillis));
    }

    private CompletableFuture<ResultPage<TaskView>> stored(
            Partition partition, TaskState state, @Nullable String cursor, int limit, String since) {
        return connection
                .runScript(
                        Script.INSPECT,
                        partition,
                        bytes("page"),
                        bytes(state.name().toLowerCase(Locale.ROOT)),
                        TaskCursor.decode(state, cursor),
                        bytes(Integer.toString(limit)),
                        bytes(since))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    byte[] next = in.bytes();
                    return new ResultPage<>(
                            InspectionReply.tasks(partition, in.list()),
                            next.length == 0 ? null : TaskCursor.encode(next));
                });
    }

    /** Lists tasks like {@link #tasks(String, TaskState, String, int, ReadBudget)}, with the budget of a list. */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            String queue, TaskState state, @Nullable String cursor, int limit) {
        return tasks(queue, state, cursor, limit, ReadBudget.forList());
    }

    /** Lists tasks in one state over all partitions of a queue, one partition after the other; else as for one. */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            String queue, TaskState state, @Nullable String cursor, int limit, ReadBudget budget) {
        return tasks(queue, null, state, cursor, limit, null, budget);
    }

    /**
     * Lists tasks in one state, one partition after the other.
     *
     * @param partition the name of the only partition; null for all
     * @param chosen looks for such tasks until there are enough, or have come to a MiB, or the budget is spent; null for all
     */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            String queue,
            @Nullable String partition,
            TaskState state,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        requireLimit(limit);
        TaskCursor.decode(state, QueueCursor.parse(cursor).inner());
        return partitions(queue, partition)
                .thenCompose(partitions -> tasks(partitions, state, cursor, limit, chosen, budget));
    }

    /** Lists tasks in one state over these partitions. */
    CompletableFuture<ResultPage<TaskView>> tasks(
            List<Partition> partitions,
            TaskState state,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        TaskEnd end = SuccessFinder.endOf(state);
        if (end != null) {
            return ended.pages(partitions, end, cursor, limit, chosen, budget);
        }
        PartitionPages.Lister<TaskView> all = (partition, inner, most) -> stored(partition, state, inner, most);
        return PartitionPages.collect(
                partitions, cursor, limit, budget, chosen == null ? all : new ChosenPages(all, chosen, budget));
    }

    /** Returns the partition with this name; all partitions of the queue if it is null. */
    CompletableFuture<List<Partition>> partitions(String queue, @Nullable String name) {
        return name == null
                ? partitions(queue)
                : CompletableFuture.completedFuture(List.of(new Partition(queue, name)));
    }

    /**
     * Lists tasks in all states: those that run, those that wait for their time (by due time, those of all partitions
     * together), the parked, the dead and the succeeded ones. Tasks that are due in more than 90 s come minute by minute.
     * One that changes its state between two pages may be in both, or in none.
     *
     * @param partition the name of the only partition; null for all
     * @param chosen looks for such tasks until there are enough, or have come to a MiB, or the budget is spent; null for all
     */
    public CompletableFuture<ResultPage<TaskView>> allTasks(
            String queue,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        requireLimit(limit);
        AllTaskLister lister = new AllTaskLister(this, new DueTaskLister(connection), ended);
        return partitions(queue, partition)
                .thenCompose(partitions -> lister.page(partitions, cursor, limit, chosen, budget));
    }

    /** Returns what Redis knows of a position; empty if nothing. */
    public CompletableFuture<Optional<TaskView>> task(Partition partition, Position position) {
        return finder.at(partition, position);
    }

    /**
     * Returns what Redis knows of some offsets in the current incarnation of a log, without those of which it knows nothing.
     * Each may cost a search among the successes of the partition, so there should be few.
     */
    public CompletableFuture<Map<Long, TaskView>> atOffsets(Partition partition, List<Long> offsets) {
        ReadBudget budget = ReadBudget.forSearch();
        return Futures.all(offsets, offset -> finder.atOffset(partition, offset, budget))
                .thenApply(found -> {
                    Map<Long, TaskView> known = new HashMap<>();
                    for (int i = 0; i < found.size(); i++) {
                        Long offset = offsets.get(i);
                        found.get(i).ifPresent(task -> known.put(offset, task));
                    }
                    return known;
                });
    }

    /** Returns tasks with this id, with the budget of a search. */
    public CompletableFuture<List<TaskView>> tasks(String queue, String id, int limit) {
        return tasks(queue, id, limit, ReadBudget.forSearch());
    }

    /**
     * Returns tasks with this id: those whose publisher gave it, and the one that has it by default ({@code
     * <topic>:<partition>:<offset>}); else one that succeeded.
     *
     * @param limit how many are enough
     */
    public CompletableFuture<List<TaskView>> tasks(String queue, String id, int limit, ReadBudget budget) {
        requireLimit(limit);
        return partitions(queue).thenCompose(partitions -> finder.withId(partitions, id, limit, budget));
    }

    /** Returns what is known of a deduplication key; empty if nothing. */
    public CompletableFuture<Optional<DedupKeyView>> dedupKey(String queue, String key) {
        byte[][] keys = {connection.keys().dedup(queue, DedupBuckets.of(queue, key), key)};
        return connection.runScript(Script.SHOW_DEDUP_KEY, keys).thenApply(reply -> DedupCodec.view(queue, reply));
    }

    /** Returns what inspects the keys of queues. */
    public KeyInspector keys() {
        return keys;
    }

    /** Returns the dead tasks of a partition by type and error. @param most how many groups, those with the most tasks */
    public CompletableFuture<DeadGroups> deadGroups(Partition partition, int most) {
        requireLimit(most);
        return new DeadGroupReader(connection).of(partition, most);
    }

    /** Returns since when a queue is paused, in epoch milliseconds; empty if it is not. */
    public CompletableFuture<Optional<Long>> pausedSince(String queue) {
        return connection
                .run(commands -> commands.get(connection.keys().paused(queue)))
                .thenApply(value -> value == null
                        ? Optional.empty()
                        : Optional.of(Long.parseLong(new String(value, StandardCharsets.UTF_8))));
    }

    /** Returns which tasks of a queue are paused, beside the whole queue. */
    public CompletableFuture<PausedTasks> pausedTasks(String queue) {
        return new PausedTaskBook(connection).of(queue);
    }

    CompletableFuture<List<Object>> inspect(Partition partition, String... args) {
        byte[][] encoded = new byte[args.length][];
        for (int i = 0; i < args.length; i++) {
            encoded[i] = bytes(args[i]);
        }
        return connection.runScript(Script.INSPECT, partition, encoded);
    }

    static void requireLimit(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("limit is " + limit + ": it must be 1 to " + MAX_PAGE);
        }
    }
}
