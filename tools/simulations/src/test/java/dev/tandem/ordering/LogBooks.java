package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreRequest.Acquire;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Facts that the parts of a log's oracle share. */
final class LogBooks {

    private final Map<Partition, PartitionBook> books = new LinkedHashMap<>();
    /** Tokens of claims that may be forgotten, or their renewals, while nothing shows that the store forgot. */
    final Set<Long> silentlyForgotten = new HashSet<>();
    /** When the store forgot writes last; negative: never. */
    long lastLoss = Long.MIN_VALUE / 2;

    LogBooks(List<Partition> partitions) {
        partitions.forEach(partition -> books.put(partition, new PartitionBook()));
    }

    PartitionBook book(Partition partition) {
        return books.get(partition);
    }

    void forEach(BiConsumer<Partition, PartitionBook> action) {
        books.forEach(action);
    }

    /** Returns what was seen of a position; null if no log of the partition has it. */
    @Nullable
    SeenTask find(Partition partition, Position position) {
        PartitionBook book = book(partition);
        SeenTask seen = book.seen.get(position);
        if (seen == null) {
            String text = position.text();
            long incarnation = incarnationOf(position);
            List<@Nullable SimTask> log = book.logs.get(incarnation);
            int offset = Integer.parseInt(text, text.indexOf(':') + 1, text.length(), 10);
            SimTask task = log == null || offset >= log.size() ? null : log.get(offset);
            if (task != null) {
                seen = new SeenTask(position, task, incarnation);
                book.add(seen);
            }
        }
        return seen;
    }

    private static long incarnationOf(Position position) {
        String text = position.text();
        return Long.parseLong(text, 0, text.indexOf(':'), 10);
    }

    /** Returns what is known of a run's task, which may be one of a former log. */
    SeenTask ofRun(Run run) {
        int id = SimTask.idOf(run.task());
        SeenTask now = find(run.partition(), run.position());
        SeenTask seen = now != null && now.task.id == id
                ? now
                : book(run.partition()).former.find(run.position(), incarnationOf(run.position()), id);
        check(seen != null, () -> "the task at " + (now == null ? run.position() : now) + " is said to be #" + id);
        return seen;
    }

    /** Returns the task that the store has a claim of, under this token. */
    SeenTask claimed(Partition partition, Position position, long token) {
        PartitionBook book = book(partition);
        SeenTask now = find(partition, position);
        SeenTask former = book.former.startedUnder(token, position, incarnationOf(position));
        if (former != null && (now == null || now.task.id != former.task.id)) {
            book.former.restore(book, former);
            return former;
        }
        return seen(partition, position);
    }

    /** Notes that an acquire which named a cut began an incarnation that keeps what was settled below. */
    void keepBelowCut(Partition partition, Acquire acquire, ModelPartition state) {
        PartitionBook book = book(partition);
        if (acquire.cut() == Acquire.NO_CUT || state.incarnation() == book.incarnationBefore) {
            return;
        }
        for (SeenTask seen : List.copyOf(book.seen.values())) {
            long offset = seen.task.offset;
            boolean kept = seen.incarnation == book.incarnationBefore && state.isSettled(offset);
            SeenTask same = kept ? find(partition, Position.of(state.incarnation(), offset)) : null;
            if (same != null && same.task == seen.task) {
                same.ended |= seen.ended;
                same.done |= seen.done;
                same.successAt = Math.max(same.successAt, seen.successAt);
            }
        }
    }

    /** Returns what was seen of a record of the log that an incarnation has now. */
    SeenTask seen(Partition partition, SimTask task, long incarnation) {
        SeenTask last = task.lastSeen;
        if (last == null || last.incarnation != incarnation || last.retired) {
            last = seen(partition, Position.of(incarnation, task.offset));
            task.lastSeen = last.task == task ? last : null;
        }
        return last;
    }

    SeenTask seen(Partition partition, Position position) {
        SeenTask seen = find(partition, position);
        check(seen != null, () -> position + " is no position of " + partition);
        return seen;
    }
}
