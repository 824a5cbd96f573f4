package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Inspects queues and changes nothing. A query costs the same however many tasks there are. A future fails when Redis
 * cannot be reached or does not answer in time. Thread-safe.
 */
public final class Inspector {

    /** The most tasks in one page. */
    public static final int MAX_PAGE = 1_000;

    private static final Set<TaskState> TO_RUN =
            EnumSet.of(TaskState.SCHEDULED, TaskState.RETRY, TaskState.PARKED, TaskState.ACTIVE);

    private static final int PAGE_BYTES = 4 << 20;
    private static final Pattern DEFAULT_ID = Pattern.compile(".+:(\\d{1,9}):(\\d{1,18})");

    private final AdminConnection connection;

    Inspector(AdminConnection connection) {
        this.connection = connection;
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
        return partitions(queue).thenCompose(partitions -> all(partitions, this::counts));
    }

    /** Returns the partitions of a queue, besides those excepted, with tasks that are to run, or do. */
    CompletableFuture<List<Partition>> heldPartitions(String queue, Collection<Partition> except) {
        return partitions(queue)
                .thenCompose(partitions -> all(
                        partitions.stream()
                                .filter(partition -> !except.contains(partition))
                                .toList(),
                        this::counts))
                .thenApply(views -> views.stream()
                        .filter(view ->
                                TO_RUN.stream().anyMatch(state -> view.tasks().getOrDefault(state, 0L) > 0))
                        .map(PartitionView::partition)
                        .toList());
    }

    /** Returns the numbers of a partition. */
    public CompletableFuture<PartitionView> counts(Partition partition) {
        return inspect(partition, "counts").thenApply(reply -> view(partition, new ReplyReader(reply)));
    }

    /**
     * Lists tasks in one state: scheduled and retried ones by due time, active ones by the end of their lease, parked ones
     * by key and order, dead and succeeded ones latest first.
     *
     * @param cursor the cursor that the previous page returned; null for the first page
     * @param limit 1 to {@link #MAX_PAGE}; a page of large tasks may be shorter
     * @throws IllegalArgumentException if the limit, the state or the cursor is not allowed
     */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            Partition partition, TaskState state, @Nullable String cursor, int limit) {
        requireLimit(limit);
        if (state == TaskState.CANCELLED || state == TaskState.DELIVERED) {
            throw new IllegalArgumentException(
                    "The state is " + state + ", but Redis keeps no such tasks: ask for another state");
        }
        return connection
                .runScript(
                        Script.INSPECT,
                        partition,
                        bytes("page"),
                        bytes(state.name().toLowerCase(Locale.ROOT)),
                        cursor == null ? new byte[0] : decoded(cursor),
                        bytes(Integer.toString(limit)),
                        bytes(Integer.toString(PAGE_BYTES)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    byte[] next = in.bytes();
                    return new ResultPage<>(tasks(partition, in.list()), next.length == 0 ? null : encoded(next));
                });
    }

    /** Lists tasks in one state over all partitions of a queue, one partition after the other. */
    public CompletableFuture<ResultPage<TaskView>> tasks(
            String queue, TaskState state, @Nullable String cursor, int limit) {
        requireLimit(limit);
        String from = cursor == null ? "" : new String(decoded(cursor), StandardCharsets.UTF_8);
        int blank = from.indexOf(' ');
        if (cursor != null && blank < 0) {
            throw unknownCursor(cursor, null);
        }
        String name = cursor == null ? "" : from.substring(0, blank);
        String inner = cursor == null || blank == from.length() - 1 ? null : from.substring(blank + 1);
        return partitions(queue).thenCompose(partitions -> {
            int at = 0;
            while (at < partitions.size()
                    && cursor != null
                    && !partitions.get(at).name().equals(name)) {
                at++;
            }
            return collect(partitions, at, state, inner, limit, new ArrayList<>());
        });
    }

    /** Adds tasks of the partitions from {@code at} on, until the limit is reached. */
    private CompletableFuture<ResultPage<TaskView>> collect(
            List<Partition> partitions,
            int at,
            TaskState state,
            @Nullable String inner,
            int limit,
            List<TaskView> found) {
        if (at >= partitions.size()) {
            return CompletableFuture.completedFuture(new ResultPage<>(found, null));
        }
        if (found.size() >= limit) {
            return CompletableFuture.completedFuture(
                    new ResultPage<>(found, encoded(bytes(partitions.get(at).name() + " "))));
        }
        Partition partition = partitions.get(at);
        return tasks(partition, state, inner, limit - found.size()).thenCompose(page -> {
            found.addAll(page.items());
            if (page.next() == null) {
                return collect(partitions, at + 1, state, null, limit, found);
            }
            return CompletableFuture.completedFuture(
                    new ResultPage<>(found, encoded(bytes(partition.name() + " " + page.next()))));
        });
    }

    /** Returns what Redis knows of a position; empty if nothing. */
    public CompletableFuture<Optional<TaskView>> task(Partition partition, Position position) {
        return inspect(partition, "task", position.text())
                .thenApply(reply ->
                        tasks(partition, new ReplyReader(reply).list()).stream().findFirst());
    }

    /**
     * Returns all tasks with this id: those whose publisher gave it, and the one that has it by default ({@code
     * <topic>:<partition>:<offset>}).
     */
    public CompletableFuture<List<TaskView>> tasks(String queue, String id) {
        Matcher byDefault = DEFAULT_ID.matcher(id);
        String partition = byDefault.matches() ? byDefault.group(1) : "";
        return partitions(queue)
                .thenCompose(partitions -> all(partitions, each -> {
                    CompletableFuture<List<TaskView>> given = found(each, "id", id);
                    return each.name().equals(partition)
                            ? given.thenCombine(found(each, "offset", byDefault.group(2)), Inspector::union)
                            : given;
                }))
                .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
    }

    /** Returns where a key is blocked; empty if nowhere. */
    public CompletableFuture<List<KeyView>> key(String queue, String key) {
        return partitions(queue)
                .thenCompose(partitions -> all(partitions, each -> key(each, key)))
                .thenApply(views -> views.stream().flatMap(Optional::stream).toList());
    }

    /** Returns why a key is blocked in one partition; empty if it is not. */
    public CompletableFuture<Optional<KeyView>> key(Partition partition, String key) {
        return inspect(partition, "key", key).thenApply(reply -> {
            ReplyReader in = new ReplyReader(reply);
            String entry = in.maybeText();
            return entry == null ? Optional.empty() : Optional.of(keyView(partition, key, entry, in.number()));
        });
    }

    /** Lists blocked keys in no order. A page may have somewhat more or fewer than the limit. */
    public CompletableFuture<ResultPage<KeyView>> blockedKeys(Partition partition, @Nullable String cursor, int limit) {
        requireLimit(limit);
        return inspect(partition, "blocked", cursor == null ? "" : requireNumber(cursor), Integer.toString(limit))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    String next = in.text();
                    List<KeyView> keys = new ArrayList<>();
                    while (in.hasMore()) {
                        keys.add(keyView(partition, in.text(), in.text(), in.number()));
                    }
                    return new ResultPage<>(keys, next.isEmpty() ? null : next);
                });
    }

    /** Returns since when a queue is paused, in epoch milliseconds; empty if it is not. */
    public CompletableFuture<Optional<Long>> pausedSince(String queue) {
        return connection
                .run(commands -> commands.get(connection.keys().paused(queue)))
                .thenApply(value -> value == null
                        ? Optional.empty()
                        : Optional.of(Long.parseLong(new String(value, StandardCharsets.UTF_8))));
    }

    private CompletableFuture<List<TaskView>> found(Partition partition, String how, String what) {
        return inspect(partition, how, what).thenApply(reply -> tasks(partition, new ReplyReader(reply).list()));
    }

    private CompletableFuture<List<Object>> inspect(Partition partition, String... args) {
        byte[][] encoded = new byte[args.length][];
        for (int i = 0; i < args.length; i++) {
            encoded[i] = bytes(args[i]);
        }
        return connection.runScript(Script.INSPECT, partition, encoded);
    }

    private static PartitionView view(Partition partition, ReplyReader in) {
        long now = in.number();
        String owner = in.maybeText();
        long epoch = in.number();
        long lease = in.number();
        long incarnation = in.number();
        long storedCommit = in.number();
        long highWater = in.number();
        Map<TaskState, Long> tasks = new EnumMap<>(TaskState.class);
        tasks.put(TaskState.SCHEDULED, in.number());
        tasks.put(TaskState.RETRY, in.number());
        tasks.put(TaskState.PARKED, in.number());
        tasks.put(TaskState.ACTIVE, in.number());
        tasks.put(TaskState.DEAD, in.number());
        tasks.put(TaskState.SUCCEEDED, in.number());
        long blocked = in.number();
        Map<String, Long> totals = new TreeMap<>();
        ReplyReader stats = in.list();
        while (stats.hasMore()) {
            totals.put(stats.text(), Long.parseLong(stats.text()));
        }
        return new PartitionView(
                partition,
                owner,
                epoch,
                Math.max(0, lease - now),
                incarnation,
                storedCommit,
                highWater,
                tasks,
                blocked,
                totals);
    }

    private static List<TaskView> tasks(Partition partition, ReplyReader in) {
        return in.all(each -> task(partition, each.list()));
    }

    private static TaskView task(Partition partition, ReplyReader in) {
        Position position = in.position();
        TaskState state = TaskState.valueOf(in.text().toUpperCase(Locale.ROOT));
        long at = in.number();
        int lapses = in.count();
        byte[] envelope = in.maybeBytes();
        byte[] claim = in.maybeBytes();
        Envelope task = envelope == null ? null : Envelope.decode(partition.queue(), envelope);
        long when = switch (state) {
            case ACTIVE, PARKED -> -1;
            // The store does not look up the entry of a far-off task.
            case SCHEDULED -> at < 0 && task != null ? task.task().notBefore() : at;
            default -> at;
        };
        return new TaskView(
                partition, position, state, when, lapses, task, claim == null ? null : ClaimRecord.read(claim, at));
    }

    private static KeyView keyView(Partition partition, String key, String entry, long parked) {
        BlockedEntry blocked = BlockedEntry.parse(entry);
        return new KeyView(partition, key, blocked.reason(), blocked.head(), blocked.since(), parked);
    }

    private static <T> CompletableFuture<List<T>> all(
            List<Partition> partitions, Function<Partition, CompletableFuture<T>> each) {
        List<CompletableFuture<T>> futures = partitions.stream().map(each).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    private static List<TaskView> union(List<TaskView> some, List<TaskView> others) {
        List<TaskView> both = new ArrayList<>(some);
        others.stream().filter(each -> !some.contains(each)).forEach(both::add);
        return both;
    }

    private static void requireLimit(int limit) {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("limit is " + limit + ": it must be 1 to " + MAX_PAGE);
        }
    }

    private static String requireNumber(String cursor) {
        if (!cursor.matches("\\d{1,20}")) {
            throw unknownCursor(cursor, null);
        }
        return cursor;
    }

    private static byte[] decoded(String cursor) {
        try {
            return Base64.getUrlDecoder().decode(cursor);
        } catch (IllegalArgumentException e) {
            throw unknownCursor(cursor, e);
        }
    }

    private static IllegalArgumentException unknownCursor(String cursor, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "The cursor '" + cursor + "' is not one that a page returned: leave it out for the first page", cause);
    }

    private static String encoded(byte[] cursor) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
