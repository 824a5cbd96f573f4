package dev.tandem.executor;

import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the deaths of one queue's unreadable messages that halt no key: at most ten in ten seconds, the others are counted.
 * Used by the loop's thread only.
 */
final class BuriedLog {

    private static final Logger log = LoggerFactory.getLogger(BuriedLog.class);

    private static final int MAX_LINES = 10;
    private static final long WINDOW_MILLIS = 10_000;
    private static final int MAX_TEXT = 300;

    private final LogRateLimiter limiter;
    /** The queue of the events; null before the first one. */
    private @Nullable String queue;

    BuriedLog(ExecutorClock clock) {
        limiter = new LogRateLimiter(clock, MAX_LINES, WINDOW_MILLIS);
    }

    void log(CoreEvent.Buried event) {
        queue = event.partition().queue();
        limiter.log(notLogged -> log.warn(
                "Queue {}: task {} is dead, since its message is unreadable{}: {}. No other task waits for it",
                event.partition().queue(),
                name(event),
                notLogged == 0 ? "" : " (" + notLogged + " earlier ones were not logged)",
                LogText.oneLine(event.reason(), MAX_TEXT)));
    }

    /** Counts in the log which deaths were left out. @param all also those of the last seconds */
    void logLeftOut(boolean all) {
        if (queue == null) {
            return; // The usual case, in every turn of the loop.
        }
        limiter.logSuppressed(
                all,
                notLogged -> log.warn(
                        "Queue {}: {} more tasks are dead, since their messages are unreadable; they were not logged"
                                + " one by one",
                        queue,
                        notLogged));
    }

    /** Returns the reference by which the API and the command line know the task, and its id if it has one. */
    private static String name(CoreEvent.Buried event) {
        String ref = "@" + event.partition().name() + "/" + event.position();
        return event.id() == null ? ref : LogText.oneLine(event.id(), MAX_TEXT) + " (" + ref + ")";
    }
}
