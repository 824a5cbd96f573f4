package dev.tandem.api;

import java.io.Serial;

/**
 * Says that a checkpoint was not saved or could not be read: it is too large, the store could not be reached, or the attempt
 * has lost its claim. A handler that does not catch it fails, and the task is tried again from its last checkpoint.
 */
public class CheckpointException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public CheckpointException(String message) {
        super(message);
    }

    public CheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
