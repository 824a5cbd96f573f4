package dev.tandem.executor;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** Writes what handlers return, as it is kept with their tasks. Thread-safe. */
final class KeptResults {

    private static final Logger log = LoggerFactory.getLogger(KeptResults.class);

    private static final long LOG_WINDOW_MILLIS = 60_000;

    /** The result of a handler that gives none, as JSON. So whoever waits for it hears at once that it has ended. */
    private static final String NOTHING = "null";

    private final String queue;
    private final PayloadReader payloads;
    private final int maxBytes;
    private final LogRateLimiter lost;

    KeptResults(QueueSpec spec, ExecutorClock clock) {
        this.queue = spec.name();
        this.payloads = spec.payloads();
        this.maxBytes = spec.parts().notes().maxResultBytes();
        this.lost = new LogRateLimiter(clock, 3, LOG_WINDOW_MILLIS);
    }

    /** Returns the result of an attempt that succeeded, as JSON; null if none is kept. */
    @Nullable
    String of(Attempt attempt) {
        Object result = attempt.result();
        if (result == null || maxBytes == 0) {
            return maxBytes == 0 ? null : NOTHING;
        }
        try {
            String json = payloads.json().writeValueAsString(result);
            int bytes = json.getBytes(StandardCharsets.UTF_8).length;
            return bytes <= maxBytes
                    ? json
                    : lost(attempt, "it has " + bytes + " bytes, and max-result-bytes is " + maxBytes);
        } catch (JacksonException e) {
            return lost(
                    attempt,
                    "a " + result.getClass().getName() + " cannot be written as JSON: " + e.getOriginalMessage());
        }
    }

    /** The task has succeeded, and must not run again for its result. */
    private @Nullable String lost(Attempt attempt, String why) {
        lost.log(notLogged -> log.warn(
                "Queue {}: the result of {} is not kept{}: {}",
                queue,
                attempt,
                notLogged == 0 ? "" : ", nor those of " + notLogged + " more since the last such line",
                why));
        return null;
    }
}
