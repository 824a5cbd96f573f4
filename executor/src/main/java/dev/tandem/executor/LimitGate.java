package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A gate at which runs wait for limits that all executors share. Keeps what each run has asked for, and turns away the runs of
 * partitions that leave this process. Thread-safe.
 *
 * @param <A> what a run has asked for
 */
abstract class LimitGate<A> implements Gate {

    final QueueSpec spec;
    final Map<Run, A> asked = new ConcurrentHashMap<>();
    final Departures departures = new Departures();

    LimitGate(QueueSpec spec) {
        this.spec = spec;
    }

    /** Returns how a run has ended that does not go to its handler; null if it goes there, or waits. */
    abstract @Nullable Outcome withoutRun(A application);

    /** Turns away those of the runs that wait. */
    abstract void turnAway(Predicate<Run> chosen);

    @Override
    public final boolean mayRun(Run run) {
        return takeOutcome(run) == null;
    }

    @Override
    public final @Nullable Outcome takeOutcome(Run run) {
        A application = asked.get(run);
        return application == null ? null : withoutRun(application);
    }

    @Override
    public final void turnAway() {
        turnAway(run -> true);
    }

    @Override
    public final void close() {
        departures.all();
        turnAway();
    }

    @Override
    public final void leave(Partition partition) {
        departures.leave(partition);
        turnAway(departures::include);
    }

    @Override
    public final void left(Partition partition) {
        departures.left(partition);
    }
}
