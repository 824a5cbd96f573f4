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

    /**
     * Counts what was suppressed in a window that has ended, so that nothing stays unsaid when the flood ends. To be called
     * now and then.
     *
     * @param all whether to count what was suppressed in the present window too
     * @param message logs, given the number of messages that were suppressed since the last one; not called if it is 0
     */
    void logSuppressed(boolean all, LongConsumer message) {
        long left = takeSuppressed(all);
        if (left > 0) {
            message.accept(left);
        }
    }

    private synchronized long takeSuppressed(boolean all) {
        if (!all && clock.millis() < windowEnd) {
            return 0;
        }
        long left = suppressed;
        suppressed = 0;
        return left;
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
