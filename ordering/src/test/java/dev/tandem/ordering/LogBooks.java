package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreRequest.Acquire;
import java.util.ArrayList;
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
            int colon = text.indexOf(':');
            long incarnation = Long.parseLong(text, 0, colon, 10);
            List<@Nullable SimTask> log = book.logs.get(incarnation);
            int offset = Integer.parseInt(text, colon + 1, text.length(), 10);
            SimTask task = log == null || offset >= log.size() ? null : log.get(offset);
            if (task != null) {
                seen = new SeenTask(position, task, incarnation);
                book.seen.put(position, seen);
                if (task.key != null && !task.unreadable) {
                    book.byKey.computeIfAbsent(task.key, k -> new ArrayList<>()).add(seen);
                }
            }
        }
        return seen;
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

    SeenTask seen(Partition partition, Position position) {
        SeenTask seen = find(partition, position);
        check(seen != null, () -> position + " is no position of " + partition);
        return seen;
    }
}
