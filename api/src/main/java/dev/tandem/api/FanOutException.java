package dev.tandem.api;

import java.io.Serial;

/**
 * A task could not go on with its fan-out now: a broker or the store did not answer, or another run of the task has begun. A
 * handler that does not catch it fails; the next attempt goes on behind the subtasks that are published.
 */
public class FanOutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public FanOutException(String message) {
        super(message);
    }

    public FanOutException(String message, Throwable cause) {
        super(message, cause);
    }
}
