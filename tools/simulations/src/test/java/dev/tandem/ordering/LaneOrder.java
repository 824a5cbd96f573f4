package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Partition;
import dev.tandem.task.store.ModelPartition;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the order of a log's tasks: when a task of a key starts for the first time, all of its key that entered their
 * lane before it have ended (succeeded, or dead, at any time; a store that forgets that does not matter).
 *
 * <p>A task that is offered before all has come again that former owners had waits for that; and a delayed task has no
 * certain place once the store forgot something and another process took the partition over. Besides, in one incarnation
 * no task without a delay starts before one of its key with a lower offset has ended.
 */
final class LaneOrder {

    private final Simulation simulation;
    private final LogBooks books;

    LaneOrder(Simulation simulation, LogBooks books) {
        this.simulation = simulation;
        this.books = books;
    }

    /** @param entersElsewhere it was relayed by a former owner, so it has no place in the lane of the present one */
    void starts(Partition partition, SeenTask seen, boolean entersElsewhere) {
        PartitionBook book = books.book(partition);
        ModelPartition state = simulation.store.state(partition);
        if (!entersElsewhere) {
            book.enter(seen);
            afterAllThatEnteredBefore(book, state, seen);
        }
        if (books.lastLoss < 0) {
            afterAllThatHadBegun(book, state, seen);
        }
        if (seen.task.notBefore == 0) {
            afterLowerOffsets(partition, book, state, seen);
        }
    }

    private static void afterAllThatEnteredBefore(PartitionBook book, ModelPartition state, SeenTask seen) {
        long entered = seen.knownEarlier < 0 ? seen.entered : Math.min(seen.entered, seen.knownEarlier);
        for (SeenTask other : book.byKey.get(seen.task.key)) {
            boolean delayed = seen.task.notBefore + other.task.notBefore > 0;
            boolean certain = seen.early == other.early && !(delayed && book.forgotAndTaken);
            boolean waited = other != seen && other.entered >= 0 && certain;
            if (waited && !isOver(book, other) && lives(state, other)) {
                check(
                        other.entered >= entered,
                        () -> seen + " starts before " + other + " has ended, which entered first");
            }
        }
    }

    private static void afterAllThatHadBegun(PartitionBook book, ModelPartition state, SeenTask seen) {
        for (SeenTask other : book.byKey.get(seen.task.key)) {
            boolean open = other != seen && other.begun && !isOver(book, other) && !other.task.recordGone;
            check(
                    !open || !lives(state, other),
                    () -> seen + " starts before " + other + " has ended, which had begun");
        }
    }

    private void afterLowerOffsets(Partition partition, PartitionBook book, ModelPartition state, SeenTask seen) {
        List<@Nullable SimTask> log = book.logs.get(seen.incarnation);
        long start = book.starts.getOrDefault(seen.incarnation, 0L);
        for (long offset = Math.max(0, start); offset < seen.task.offset; offset++) {
            SimTask task = log.get((int) offset);
            if (task != null && seen.task.key.equals(task.key) && !task.unreadable && task.notBefore == 0) {
                SeenTask earlier = books.seen(partition, task, seen.incarnation);
                check(
                        isOver(book, earlier)
                                || task.recordGone
                                || !lives(state, earlier)
                                || isKnownFromBeforeCut(book, state, earlier),
                        () -> seen + " starts before " + earlier + " has ended");
            }
        }
    }

    /**
     * Whether it can still run. A task that an operator took out of the broker's hands, and that the store never had,
     * comes again as another one or never.
     */
    private static boolean lives(ModelPartition state, SeenTask seen) {
        return seen.incarnation == state.incarnation()
                || state.holds(seen.position)
                || state.claim(seen.position) != null;
    }

    /** Whether the task has ended, or the store holds it, under its position from before the log was cut. */
    private static boolean isKnownFromBeforeCut(PartitionBook book, ModelPartition state, SeenTask seen) {
        return book.cuts > 0
                && Stream.concat(book.byKey.get(seen.task.key).stream(), book.former.ofKey(seen.task.key))
                        .filter(other -> other != seen && other.task == seen.task)
                        .anyMatch(other -> isOver(book, other) || state.holds(other.position));
    }

    /** A store that forgot an incarnation has its positions again, some of which ended as others of the same tasks. */
    private static boolean isOver(PartitionBook book, SeenTask seen) {
        return seen.ended || seen.done || book.forgotIncarnation && seen.task.succeeded;
    }
}
