package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The workers of a process: they pick up runs after a while, and end them after another. */
final class SimWorkers {

    /** How soon a frozen process is looked at again. */
    private static final long FROZEN_MILLIS = 50;

    private final Simulation simulation;
    private final SimProcess process;
    private final Set<Run> unfinished = new LinkedHashSet<>();

    SimWorkers(SimProcess process) {
        this.process = process;
        this.simulation = process.simulation;
    }

    void start(Run run) {
        simulation.oracle.starts(process, run);
        unfinished.add(run);
        simulation.timeline.in(simulation.pickUpMillis(), () -> pickUp(run));
    }

    private void pickUp(Run run) {
        if (!process.alive()) {
            return;
        }
        if (process.frozen()) {
            simulation.timeline.in(FROZEN_MILLIS, () -> pickUp(run));
            return;
        }
        boolean late = !run.mayBegin(process.monotonic(simulation.timeline.now()));
        if (late || simulation.random.percent(process.leaving() ? 50 : 2)) {
            finish(run, Outcome.NotStarted.INSTANCE);
            return;
        }
        if (run.isCancelled()) {
            simulation.oracle.leavesOut(process, run);
            finish(run, Outcome.Cancelled.BEFORE_RUN);
            return;
        }
        simulation.trace(() -> process + " runs " + run.position() + " of "
                + simulation.oracle.task(SimTask.idOf(run.task())) + " token " + TraceFormat.token(run.token())
                + " attempt " + run.attempt());
        simulation.oracle.begins(process, run);
        simulation.digest.begins(run);
        simulation.timeline.in(simulation.handlerMillis(), () -> end(run));
    }

    /** Whether the key of a task goes on with this outcome, and nothing of the task is left to be done. */
    static boolean endsPlainly(Outcome outcome) {
        return outcome instanceof Outcome.Succeeded
                || outcome instanceof Outcome.Expired
                || outcome instanceof Outcome.Cancelled;
    }

    private void end(Run run) {
        if (!process.alive()) {
            return;
        }
        if (process.frozen()) {
            simulation.timeline.in(FROZEN_MILLIS, () -> end(run));
            return;
        }
        Outcome outcome = simulation.outcome(run);
        run.recordTiming(simulation.timeline.now() + 1, 0);
        simulation.oracle.unhandled.ends(run, outcome);
        simulation.oracle.ends(process, run, outcome);
        Run next = outcome instanceof Outcome.Succeeded ? beginNext(run) : null;
        finish(run, outcome);
        if (next != null) {
            pickUp(next);
        }
    }

    /** Goes on with the run that follows in the row, if it may. The core learns of it later. */
    private @Nullable Run beginNext(Run run) {
        Run next = run.beginNext(process.monotonic(simulation.timeline.now()));
        if (next != null) {
            unfinished.remove(run);
            simulation.oracle.starts(process, next);
            unfinished.add(next);
        }
        return next;
    }

    private void finish(Run run, Outcome outcome) {
        simulation.trace(() -> process + " ends " + run.position() + " " + outcome);
        process.post(() -> {
            unfinished.remove(run);
            process.core.finished(run, outcome);
        });
    }

    int unfinished() {
        return unfinished.size();
    }
}
