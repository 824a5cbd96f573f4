package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lists the scheduled and retried tasks of several partitions together, by due time. Far-off tasks (see {@code
 * far_schedule.lua}) come minute by minute, and are in order within a page. One page of one stream is in memory at a time,
 * besides the tasks that are returned. Thread-safe.
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

    /** Where a page ended. */
    private record Place(long order, String partition, Kind kind, String cursor) {
        private static final Pattern FORM = Pattern.compile("(\\d{1,18}) (RETRY|NEAR|FAR) (\\S+) (.+)");

        String encode() {
            String text = order + " " + kind + " " + partition + " " + cursor;
            return TaskCursor.encode(text.getBytes(StandardCharsets.UTF_8));
        }

        static Place decode(String encoded) {
            Matcher text = FORM.matcher(new String(TaskCursor.decode(encoded), StandardCharsets.UTF_8));
            if (!text.matches()) {
                throw TaskCursor.unknown(encoded);
            }
            Kind kind = Kind.valueOf(text.group(2));
            TaskCursor.require(text.group(4), kind == Kind.FAR, encoded);
            return new Place(Long.parseLong(text.group(1)), text.group(3), kind, text.group(4));
        }
    }

    private static final int MAX_BYTES = 1 << 20;
    private static final Kind[] KINDS = Kind.values();

    private final AdminConnection connection;

    DueTaskLister(AdminConnection connection) {
        this.connection = connection;
    }

    /** Lists tasks. @throws IllegalArgumentException if no page returned the cursor */
    CompletableFuture<ResultPage<TaskView>> page(List<Partition> partitions, @Nullable String cursor, int limit) {
        Place from = cursor == null ? null : Place.decode(cursor);
        int fromStream = from == null ? -1 : streamOf(partitions, from, String.valueOf(cursor));
        return new Merge(partitions, from, fromStream, limit).next(0).thenApply(Merge::page);
    }

    private static int streamOf(List<Partition> partitions, Place place, String cursor) {
        for (int i = 0; i < partitions.size(); i++) {
            if (partitions.get(i).name().equals(place.partition())) {
                return i * KINDS.length + place.kind().ordinal();
            }
        }
        throw TaskCursor.unknown(cursor);
    }

    /** Collects the first tasks of all streams, which are read one after the other. */
    private final class Merge {

        private final List<Partition> partitions;
        private final @Nullable Place from;
        private final int fromStream;
        private final int limit;
        private final TreeSet<Item> first = new TreeSet<>(Item.BY_PLACE);
        private int bytes;

        /** From here on tasks may be missing in {@link #first}; null if none is. */
        private @Nullable Item incompleteFrom;

        Merge(List<Partition> partitions, @Nullable Place from, int fromStream, int limit) {
            this.partitions = partitions;
            this.from = from;
            this.fromStream = fromStream;
            this.limit = limit;
        }

        CompletableFuture<Merge> next(int stream) {
            return stream == partitions.size() * KINDS.length
                    ? CompletableFuture.completedFuture(this)
                    : read(stream, start(stream)).thenCompose(done -> next(stream + 1));
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
            return connection
                    .runScript(
                            Script.INSPECT,
                            partition(stream),
                            bytes("page"),
                            bytes(kind(stream).name),
                            bytes(cursor),
                            bytes(Integer.toString(limit)))
                    .thenCompose(reply -> {
                        ReplyReader in = new ReplyReader(reply);
                        String next = in.text();
                        List<TaskView> tasks = InspectionReply.tasks(partition(stream), in.list());
                        if (tasks.isEmpty() && !next.isEmpty()) {
                            return read(stream, next);
                        }
                        List<String> cursors =
                                kind(stream) == Kind.FAR ? in.list().all(ReplyReader::text) : List.of();
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
            while (first.size() > limit || bytes > MAX_BYTES && first.size() > 1) {
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
            List<Item> items = List.copyOf(incompleteFrom == null ? first : first.headSet(incompleteFrom));
            List<TaskView> tasks = new ArrayList<>();
            items.forEach(item -> {
                if (item.task() != null) {
                    tasks.add(item.task());
                }
            });
            tasks.sort(Comparator.comparingLong(TaskView::at));
            if (incompleteFrom == null || items.isEmpty()) {
                return new ResultPage<>(tasks, null);
            }
            Item last = items.get(items.size() - 1);
            Place place = new Place(last.order(), partition(last.stream()).name(), kind(last.stream()), last.cursor());
            return new ResultPage<>(tasks, place.encode());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
