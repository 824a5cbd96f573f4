package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run that needs permits of one limit or several, from when it asks until it ends. Guarded by {@link Permits}. */
final class Applicant {

    final Run run;
    final PermitGate gate;
    final List<PermitLimit> limits;
    final Runnable goOn;

    private static final long NEVER = Long.MAX_VALUE;

    private long waitingSince;
    private long threadlessSince = NEVER;
    private boolean decided;
    private @Nullable Outcome withoutRun;
    private volatile boolean holds;
    /** True once the store has given its permits to others, or may have. Any thread reads it. */
    private volatile boolean lost;

    private long since;

    /**
     * @param limits in the order of their names
     * @param goOn called when it need not wait any more
     */
    Applicant(Run run, PermitGate gate, List<PermitLimit> limits, Runnable goOn) {
        this.run = run;
        this.gate = gate;
        this.limits = limits;
        this.goOn = goOn;
    }

    /** Takes note that it begins to wait. */
    void waitsFrom(long nowMillis) {
        waitingSince = nowMillis;
        threadlessSince = NEVER;
    }

    long waitingSince() {
        return waitingSince;
    }

    /** Takes note that it has all of its permits and only needs a thread. @return for how long that has been so, in milliseconds */
    long lacksThread(long nowMillis) {
        threadlessSince = Math.min(threadlessSince, nowMillis);
        return nowMillis - threadlessSince;
    }

    void lacksPermit() {
        threadlessSince = NEVER;
    }

    /** Takes note that it has its permits. @param wallMillis the time, for people */
    void granted(long wallMillis) {
        decided = true;
        holds = true;
        since = wallMillis;
    }

    /** Takes note that the run does not go to its handler. */
    void turnedAway(Outcome outcome) {
        decided = true;
        withoutRun = outcome;
    }

    /** Returns whether it need not wait any more. */
    boolean isDecided() {
        return decided;
    }

    boolean holds() {
        return holds;
    }

    /** Takes note that its permits are lost. */
    void lost() {
        lost = true;
    }

    /** Returns whether it has lost the permits that it had. Any thread may ask. */
    boolean hasLost(long nowMillis) {
        if (!holds) {
            return false;
        }
        return lost || limits.stream().anyMatch(each -> each.hasLapsed(nowMillis));
    }

    @Nullable
    Outcome withoutRun() {
        return withoutRun;
    }

    long since() {
        return since;
    }

    boolean needsSeveral() {
        return limits.size() > 1;
    }

    /** Returns whether it waits for a limit of certain tasks of the queue, so that others need not wait. */
    boolean leavesOthers() {
        return limits.stream().anyMatch(each -> !each.limit().coversAll());
    }
}
