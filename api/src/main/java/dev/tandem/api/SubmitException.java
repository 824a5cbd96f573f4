package dev.tandem.api;

/** A task was not submitted, or its broker did not acknowledge it. The message says what to do. */
public class SubmitException extends RuntimeException {

    /** @param message what happened and what to do, for people */
    public SubmitException(String message) {
        super(message);
    }

    /** @param message what happened and what to do, for people */
    public SubmitException(String message, Throwable cause) {
        super(message, cause);
    }
}
