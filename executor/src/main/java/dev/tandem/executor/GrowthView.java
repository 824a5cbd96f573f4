package dev.tandem.executor;

import dev.tandem.task.Source;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Earlier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of a process, at one moment, of how many partitions a log had over time. Immutable.
 *
 * @param sure whether the log has no more partitions than this says
 * @param history null before anything is known, and if nobody has recorded any yet: then no task waits, if it is sure
 * @param series the ends that were looked up while a growth is open
 */
record GrowthView(boolean sure, @Nullable PartitionHistory history, LogEndLooks series) {

    /** Nobody has recorded a count of partitions, so none is known that a growth could have changed. */
    static final GrowthView FIRST = new GrowthView(true, null, LogEndLooks.NONE);

    static final GrowthView UNKNOWN = new GrowthView(false, null, LogEndLooks.NONE);

    /** The thing to find out before a task may run. */
    sealed interface Verdict {

        /** The task may run: no earlier partition has tasks of its key that come first. */
        record Go() implements Verdict {
            static final Go INSTANCE = new Go();
        }

        /** The number of partitions of the log must be found out first. */
        record Unsure() implements Verdict {
            static final Unsure INSTANCE = new Unsure();
        }

        /** The ends of earlier partitions must be looked up first. */
        record NoEnds() implements Verdict {
            static final NoEnds INSTANCE = new NoEnds();
        }

        /** The store must be asked whether tasks of its key are settled in earlier partitions. */
        record Ask(List<Place> places) implements Verdict {}
    }

    /**
     * An earlier partition of a key.
     *
     * @param end the offset below which tasks of the key come first
     * @param isFinal whether that does not depend on the task
     */
    record Place(int partition, long end, boolean isFinal) {}

    /** Returns whether no task has to wait. */
    boolean isQuiet() {
        return sure && (history == null || history.growths().isEmpty());
    }

    /** Returns whether tasks of a key may have to wait. */
    boolean concerns(IntUnaryOperator placement) {
        return !sure || history != null && history.moves(placement);
    }

    /**
     * Decides about a task.
     *
     * @param placement returns the partition of its key for a count
     * @param partition the number of the task's partition
     * @param offset the task's offset in it
     */
    Verdict decide(IntUnaryOperator placement, int partition, long offset) {
        if (history == null) {
            return sure ? Verdict.Go.INSTANCE : Verdict.Unsure.INSTANCE;
        }
        if (!sure && !history.knowsPlace(placement, partition, offset)) {
            return Verdict.Unsure.INSTANCE;
        }
        List<Place> places = new ArrayList<>(2);
        for (Earlier each : history.earlier(placement, partition, offset)) {
            boolean isFinal = !each.growth().isOpen();
            long end = isFinal
                    ? each.growth().ends().get(each.partition())
                    : series.endFor(partition, offset, each.partition());
            if (end == Source.Facts.NO_OFFSET) {
                return Verdict.NoEnds.INSTANCE;
            }
            places.add(new Place(each.partition(), end, isFinal));
        }
        return places.isEmpty() ? Verdict.Go.INSTANCE : new Verdict.Ask(places);
    }
}
