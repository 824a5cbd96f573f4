package dev.tandem.executor;

import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.ordering.Run;
import org.jspecify.annotations.Nullable;

/** A task that a pull worker has. Its desk guards what can change. */
final class PulledLease {

    private final LeaseName name;
    private final Attempt attempt;
    private final String worker;
    private final long startedNanos;
    private final long askedMillis;
    /** Read by others too, who only say how it is. */
    private volatile long until;

    /**
     * Begins now.
     *
     * @param worker a name for people; may be empty
     * @param askedMillis for how long the worker wants to have the task
     */
    PulledLease(LeaseName name, Attempt attempt, String worker, long askedMillis, ExecutorClock clock) {
        this.name = name;
        this.attempt = attempt;
        this.worker = worker;
        this.askedMillis = askedMillis;
        this.startedNanos = clock.nanos();
        extend(clock.millis(), 0);
    }

    LeaseName name() {
        return name;
    }

    Attempt attempt() {
        return attempt;
    }

    Run run() {
        return attempt.run();
    }

    /** Returns the run with its worker. */
    RunningHandlers.Started started() {
        return new RunningHandlers.Started(run(), attempt.startedMillis(), new RunningHandlers.Worker(worker, until));
    }

    long startedNanos() {
        return startedNanos;
    }

    /** Returns when the lease runs out, by the monotonic clock, in milliseconds. */
    long until() {
        return until;
    }

    /** Extends the lease, up to the end of the longest run. @param millis from now; 0 for what was asked first */
    void extend(long now, long millis) {
        until = Math.min(now + (millis > 0 ? millis : askedMillis), attempt.nextCheckAt());
    }

    /** Returns how the attempt ends because the lease has run out. */
    AttemptEnd lapse(long now) {
        if (attempt.nextCheckAt() <= now) {
            boolean unused = attempt.checkTimeout(now, 0);
        }
        String whose = worker.isEmpty() ? "its pull worker" : "the pull worker '" + worker + "'";
        return new AttemptEnd.Lapsed("the lease of " + whose + " ran out");
    }

    /** Returns the task as its worker gets it. */
    LeasedTask task(long now, long timeoutMillis) {
        return new LeasedTask(
                name,
                Math.max(0, until - now),
                attempt.id(),
                attempt.position(),
                attempt.type(),
                attempt.key(),
                attempt.dedupKey(),
                attempt.attempt(),
                attempt.maxAttempts(),
                timeoutMillis,
                attempt.headers(),
                attempt.payload());
    }

    /** Returns why its worker does not have the task any more, although it has not ended it; null if it has the task. */
    @Nullable
    String lost() {
        return switch (attempt.state()) {
            case RUNNING, INTERRUPTING, ENDED -> null;
            case TIMED_OUT -> "it has run for longer than its timeout";
            case CANCELLED -> "an operator has cancelled it";
            case STOPPED -> "its executor stops, or has lost the permit for it";
        };
    }
}
