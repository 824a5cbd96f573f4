package dev.tandem.api;

/**
 * Thrown by a handler if the task cannot succeed. The task is dead at once; an operator can retry it later. The same as
 * {@link Result#dead} for code that cannot return a result.
 */
public class FatalTaskException extends RuntimeException implements FinalError {

    /** @param reason why the task cannot succeed, for the operator */
    public FatalTaskException(String reason) {
        super(reason);
    }

    /** @param reason why the task cannot succeed, for the operator */
    public FatalTaskException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
