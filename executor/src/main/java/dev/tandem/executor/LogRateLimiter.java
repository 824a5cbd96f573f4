package dev.tandem.executor;

import java.util.function.LongConsumer;

/**
 * Limits how often a message is logged, so that a flood of failures stays readable. Messages beyond the limit are
 * counted. Thread-safe.
 */
final class LogRateLimiter {

    private static final long SUPPRESSED = -1;

    private final ExecutorClock clock;
    private final int maxPerWindow;
    private final long windowMillis;
    private long windowEnd = Long.MIN_VALUE;
    private int loggedInWindow;
    private long suppressed;

    LogRateLimiter(ExecutorClock clock, int maxPerWindow, long windowMillis) {
        this.clock = clock;
        this.maxPerWindow = maxPerWindow;
        this.windowMillis = windowMillis;
    }

    /**
     * Logs a message unless the limit is reached.
     *
     * @param message logs, given the number of messages that were suppressed since the last one
     */
    void log(LongConsumer message) {
        long before = admit();
        if (before != SUPPRESSED) {
            message.accept(before);
        }
    }

    private synchronized long admit() {
        long now = clock.millis();
        if (now >= windowEnd) {
            windowEnd = now + windowMillis;
            loggedInWindow = 0;
        }
        if (loggedInWindow >= maxPerWindow) {
            suppressed++;
            return SUPPRESSED;
        }
        loggedInWindow++;
        long before = suppressed;
        suppressed = 0;
        return before;
    }
}
