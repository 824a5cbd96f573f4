package dev.tandem.api;

/** A task was not submitted, and never can be as it is. The message names the value that must change. */
public final class InvalidTaskException extends SubmitException {

    /** @param message which value is wrong and what is allowed, for people */
    public InvalidTaskException(String message) {
        super(message);
    }

    /** @param message which value is wrong and what is allowed, for people */
    public InvalidTaskException(String message, Throwable cause) {
        super(message, cause);
    }
}
