package dev.tandem.executor;

/**
 * Decides how many attempts may start while nearly all of them fail: one in the first second, then twice as many in each
 * second after one in which enough succeeded, until there is no need for a limit. Pure: the time is an argument. One thread
 * uses it.
 */
final class CircuitBreaker {

    /** Whether starts are limited. */
    enum State {
        /** No limit. */
        CLOSED,
        /** Attempts fail: one start a second finds out whether they still do. */
        OPEN,
        /** Attempts succeed again: more start every second. */
        HALF_OPEN
    }

    static final long NEVER = Long.MAX_VALUE;

    private static final long PERIOD_MILLIS = 1_000;

    private final BreakerPolicy policy;
    private final AttemptWindow window;
    private State state = State.CLOSED;
    /** Starts allowed in each period; without meaning while closed. */
    private int allowed;

    private long periodEnd = NEVER;
    private long periodSucceeded;
    private long periodFailed;
    private long lastEndAt;

    CircuitBreaker(BreakerPolicy policy) {
        this.policy = policy;
        this.window = new AttemptWindow(policy.window().toMillis());
    }

    State state() {
        return state;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    /** How many attempts may start until the next change; while not closed. */
    int allowed() {
        return allowed;
    }

    /** When {@link #turn} is due; {@link #NEVER} while closed. */
    long nextTurn() {
        return periodEnd;
    }

    /** Notes attempts that ended since the last call. */
    void ended(long succeeded, long failed, long now) {
        if (succeeded + failed > 0 && policy.enabled()) {
            lastEndAt = now;
            periodSucceeded += succeeded;
            periodFailed += failed;
            window.add(succeeded, failed, now);
        }
    }

    /**
     * Looks at what ended. If nothing ends for a window and nothing runs, there is nothing to protect any more.
     *
     * @param running how many attempts run
     * @return whether {@link #state} or the starts allowed from now on are new
     */
    boolean turn(long now, int running) {
        if (state == State.CLOSED) {
            boolean opens = window.total(now) >= policy.attempts() && nearlyAll(window.failed(now), window.total(now));
            if (opens) {
                state = State.OPEN;
                allow(1, now);
            }
            return opens;
        }
        if (now < periodEnd) {
            return false;
        }
        long ended = periodSucceeded + periodFailed;
        if (ended == 0) {
            boolean idle = running == 0 && now - lastEndAt >= policy.window().toMillis();
            return idle ? close() : allow(allowed, now);
        }
        if (nearlyAll(periodFailed, ended)) {
            state = State.OPEN;
            return allow(1, now);
        }
        state = State.HALF_OPEN;
        return allowed >= policy.attempts() ? close() : allow(allowed * 2, now);
    }

    private boolean nearlyAll(long failed, long total) {
        return failed >= total * policy.failures();
    }

    private boolean allow(int starts, long now) {
        allowed = starts;
        periodEnd = now + PERIOD_MILLIS;
        periodSucceeded = 0;
        periodFailed = 0;
        return true;
    }

    private boolean close() {
        state = State.CLOSED;
        periodEnd = NEVER;
        window.clear();
        return true;
    }

    /** Describes the window's attempts, for people. */
    String describeWindow(long now) {
        return window.failed(now) + " of the last " + window.total(now) + " attempts failed";
    }
}
