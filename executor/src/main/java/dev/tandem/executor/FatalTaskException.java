package dev.tandem.executor;

/** Thrown by a handler for a task that can't succeed: it is dead at once, and replayable. */
public class FatalTaskException extends RuntimeException implements FinalError {

    public FatalTaskException(String reason) {
        super(reason);
    }

    public FatalTaskException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
