package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lists the scheduled and retried tasks of several partitions together, by due time. Far-off tasks (see {@code
 * far_schedule.lua}) come minute by minute, and are in order within a page. First each partition is asked for its earliest due
 * times, many at once; then only those streams are read that have tasks of this page. One page of one stream is in memory
 * at a time, besides the tasks of the page. Thread-safe.
 */
final class DueTaskLister {

    /** The tasks of one kind in one partition, which Redis keeps in order. */
    private enum Kind {
        RETRY("retry"),
        NEAR("near"),
        FAR("far");

        /** Before all far-off tasks. */
        private static final String FIRST_FAR = "later 0:0:0";

        private static final long MINUTE = 60_000;
        private final String name;

        Kind(String name) {
            this.name = name;
        }

        /** Returns by what a task is ordered. */
        long order(long at) {
            return this == FAR ? at / MINUTE * MINUTE : at;
        }

        /** Returns the cursor behind all tasks up to this time; without those of the time itself if it is not included. */
        String cursorAfter(long time, boolean included) {
            if (this != FAR) {
                return included ? time + ".5 ~" : time + " !";
            }
            long minute = time / MINUTE + (time % MINUTE == 0 && !included ? 0 : 1);
            return "later " + minute + ":999999999:0";
        }

        String start() {
            return this == FAR ? FIRST_FAR : "";
        }
    }

    /**
     * A task in its place.
     *
     * @param number its place among the tasks of its stream that were read
     * @param cursor goes on behind it, in its stream
     */
    private record Item(
            long order,
            int stream,
            int number,
            String cursor,
            @Nullable TaskView task) {
        static final Comparator<Item> BY_PLACE = Comparator.comparingLong(Item::order)
                .thenComparingInt(Item::stream)
                .thenComparingInt(Item::number);

        int bytes() {
            Envelope envelope = task == null ? null : task.envelope();
            return envelope == null ? 0 : envelope.task().weight();
        }
    }

    /** The place where a page ended. */
    private record StreamCursor(long order, String partition, Kind kind, String cursor) {
        private static final Pattern FORM = Pattern.compile("(\\d{1,18}) (RETRY|NEAR|FAR) (\\S+) (.+)");

        String encode() {
            String text = order + " " + kind + " " + partition + " " + cursor;
            return TaskCursor.encode(text.getBytes(StandardCharsets.UTF_8));
        }

        static StreamCursor decode(String encoded) {
            Matcher text = FORM.matcher(new String(TaskCursor.decode(encoded), StandardCharsets.UTF_8));
            if (!text.matches()) {
                throw TaskCursor.unknown(encoded);
            }
            Kind kind = Kind.valueOf(text.group(2));
            TaskCursor.require(text.group(4), kind == Kind.FAR, encoded);
            return new StreamCursor(Long.parseLong(text.group(1)), text.group(3), kind, text.group(4));
        }
    }

    private static final int MAX_BYTES = 1 << 20;

    /** The number of tasks that a page looks at to find the chosen ones. */
    private static final int MAX_LOOKED_AT = 500;

    private static final Kind[] KINDS = Kind.values();

    private final AdminConnection connection;

    DueTaskLister(AdminConnection connection) {
        this.connection = connection;
    }

    /**
     * Lists tasks.
     *
     * @param chosen which tasks; null for all
     * @throws IllegalArgumentException if no page returned the cursor
     */
    CompletableFuture<ResultPage<TaskView>> page(
            List<Partition> partitions,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        StreamCursor from = cursor == null ? null : StreamCursor.decode(cursor);
        int fromStream = from == null ? -1 : streamOf(partitions, from, String.valueOf(cursor));
        Merge merge = new Merge(partitions, from, fromStream, limit, chosen, budget);
        return merge.findStreams()
                .thenCompose(streams -> merge.next(streams, 0))
                .thenApply(done -> merge.page());
    }

    private static int streamOf(List<Partition> partitions, StreamCursor place, String cursor) {
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).name().equals(place.partition())) {
                return i * KINDS.length + place.kind().ordinal();
            }
        }
        throw TaskCursor.unknown(cursor);
    }

    /** A stream that has tasks. @param earliest no task of it is before this, in its order */
    private record Stream(int number, long earliest) {
        static final Comparator<Stream> BY_PLACE =
                Comparator.comparingLong(Stream::earliest).thenComparingInt(Stream::number);

        /** Returns the place before all of its tasks. */
        Item beginning() {
            return new Item(earliest, number, -1, "", null);
        }
    }

    /** Collects the first tasks of all streams, which are read one after the other, those that begin first at first. */
    private final class Merge {

        private final List<Partition> partitions;
        private final @Nullable StreamCursor from;
        private final int fromStream;
        private final int limit;
        private final @Nullable Predicate<TaskView> chosen;

        /** The number of tasks to look at. */
        private int most;

        private final ReadBudget budget;
        private final TreeSet<Item> first = new TreeSet<>(Item.BY_PLACE);
        private int bytes;

        /** The place from which on tasks may be missing in {@link #first}; null if none is missing. */
        private @Nullable Item incompleteFrom;

        Merge(
                List<Partition> partitions,
                @Nullable StreamCursor from,
                int fromStream,
                int limit,
                @Nullable Predicate<TaskView> chosen,
                ReadBudget budget) {
            this.partitions = partitions;
            this.from = from;
            this.fromStream = fromStream;
            this.limit = limit;
            this.chosen = chosen;
            this.most = limit;
            this.budget = budget;
        }

        /** Asks each partition for the earliest due times from this page on. */
        CompletableFuture<List<Stream>> findStreams() {
            byte[] since = bytes(from == null ? "-inf" : Long.toString(from.order()));
            budget.runs(partitions.size());
            return Futures.all(partitions, partition -> {
                        budget.requireTime();
                        return connection.runScript(Script.INSPECT, partition, bytes("earliest"), since);
                    })
                    .thenApply(replies -> {
                        List<Stream> streams = new ArrayList<>();
                        for (int i = 0; i < replies.size(); i++) {
                            ReplyReader in = new ReplyReader(replies.get(i));
                            for (Kind kind : KINDS) {
                                String at = in.maybeText();
                                if (at != null) {
                                    long earliest = kind.order((long) Double.parseDouble(at));
                                    streams.add(new Stream(i * KINDS.length + kind.ordinal(), earliest));
                                }
                            }
                        }
                        streams.sort(Stream.BY_PLACE);
                        lookAtMore(streams.size());
                        return streams;
                    });
        }

        /** Has a search look at more tasks than it lists. Each stream may be read that far, so they share the budget. */
        private void lookAtMore(int streams) {
            if (chosen != null) {
                most = Math.max(limit, (int) Math.min(MAX_LOOKED_AT, budget.tasksLeft() / Math.max(1, streams)));
            }
        }

        /** Reads these streams from one on, as far as they may have tasks of this page. */
        CompletableFuture<@Nullable Void> next(List<Stream> streams, int at) {
            if (at == streams.size()) {
                return CompletableFuture.completedFuture(null);
            }
            Stream stream = streams.get(at);
            if (isFoundBefore(stream) || budget.isSpent() && hasTasksBefore(stream)) {
                missingFrom(stream.beginning());
                return CompletableFuture.completedFuture(null);
            }
            return Futures.begin(() -> read(stream.number(), start(stream.number())))
                    .handle((done, failure) -> {
                        if (failure == null) {
                            return next(streams, at + 1);
                        } else if (!ReadBudget.isSpent(failure) || !hasTasksBefore(stream)) {
                            return CompletableFuture.<@Nullable Void>failedFuture(failure);
                        }
                        missingFrom(stream.beginning());
                        return CompletableFuture.<@Nullable Void>completedFuture(null);
                    })
                    .thenCompose(Function.identity());
        }

        /** Returns whether this stream, and so all streams behind it, have no task of this page. */
        private boolean isFoundBefore(Stream stream) {
            Item beginning = stream.beginning();
            return incompleteFrom != null && Item.BY_PLACE.compare(incompleteFrom, beginning) < 0
                    || first.size() >= most && Item.BY_PLACE.compare(first.last(), beginning) < 0;
        }

        private boolean hasTasksBefore(Stream stream) {
            return !first.isEmpty() && Item.BY_PLACE.compare(first.first(), stream.beginning()) < 0;
        }

        private Kind kind(int stream) {
            return KINDS[stream % KINDS.length];
        }

        private Partition partition(int stream) {
            return partitions.get(stream / KINDS.length);
        }

        private String start(int stream) {
            if (from == null) {
                return kind(stream).start();
            }
            return stream == fromStream ? from.cursor() : kind(stream).cursorAfter(from.order(), stream < fromStream);
        }

        /** Reads a page of a stream, and on while pages have no tasks. */
        private CompletableFuture<@Nullable Void> read(int stream, String cursor) {
            budget.requireTime();
            budget.runs(1);
            return connection
                    .runScript(
                            Script.INSPECT,
                            partition(stream),
                            bytes("page"),
                            bytes(kind(stream).name),
                            bytes(cursor),
                            bytes(Integer.toString(most)))
                    .thenCompose(reply -> {
                        ReplyReader in = new ReplyReader(reply);
                        String next = in.text();
                        List<TaskView> tasks = InspectionReply.tasks(partition(stream), in.list());
                        if (tasks.isEmpty() && !next.isEmpty()) {
                            return read(stream, next);
                        }
                        List<String> cursors =
                                kind(stream) == Kind.FAR ? in.list().all(ReplyReader::text) : List.of();
                        budget.lookedAt(tasks.size());
                        add(stream, tasks, cursors, !next.isEmpty());
                        return CompletableFuture.completedFuture(null);
                    });
        }

        private void add(int stream, List<TaskView> tasks, List<String> cursors, boolean more) {
            long order = 0;
            for (int i = 0; i < tasks.size(); i++) {
                TaskView task = tasks.get(i);
                // A far-off task is never before the one that precedes it, so that the order within a stream holds.
                order = Math.max(order, kind(stream).order(task.at()));
                String cursor = cursors.isEmpty() ? task.at() + " " + task.position() : cursors.get(i);
                Item item = new Item(order, stream, i, cursor, task);
                first.add(item);
                bytes += item.bytes();
            }
            if (more) {
                missingFrom(new Item(order, stream, tasks.size(), "", null));
            }
            while (first.size() > most || bytes > MAX_BYTES && first.size() > 1) {
                Item last = first.pollLast();
                bytes -= last.bytes();
                missingFrom(last);
            }
        }

        private void missingFrom(Item item) {
            if (incompleteFrom == null || Item.BY_PLACE.compare(item, incompleteFrom) < 0) {
                incompleteFrom = item;
            }
        }

        ResultPage<TaskView> page() {
            List<TaskView> tasks = new ArrayList<>();
            Item last = null;
            boolean more = incompleteFrom != null;
            for (Item item : incompleteFrom == null ? first : first.headSet(incompleteFrom)) {
                if (tasks.size() == limit) {
                    more = true;
                    break;
                }
                last = item;
                if (item.task() != null && (chosen == null || chosen.test(item.task()))) {
                    tasks.add(item.task());
                }
            }
            tasks.sort(Comparator.comparingLong(TaskView::at));
            if (!more || last == null) {
                return new ResultPage<>(tasks, null);
            }
            StreamCursor place =
                    new StreamCursor(last.order(), partition(last.stream()).name(), kind(last.stream()), last.cursor());
            return new ResultPage<>(tasks, place.encode());
        }
    }
}
