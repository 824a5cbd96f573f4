package dev.tandem.outbox;

import dev.tandem.api.SnoozeError;
import java.time.Duration;

/**
 * A later attempt at a task of this key has written already, so this attempt has lost its claim and must write nothing. Let
 * the handler fail with it, which rolls its transaction back. If the attempt has not lost its claim, because its key has moved
 * to another partition, the task runs again with a higher token and has not spent the attempt.
 */
public final class StaleTokenException extends RuntimeException implements SnoozeError {

    /** Tokens of a key that moved are higher again once a lease has passed, which is 10 s by default. */
    private static final Duration DELAY = Duration.ofSeconds(2);

    StaleTokenException(String message) {
        super(message);
    }

    @Override
    public Duration delay() {
        return DELAY;
    }
}
