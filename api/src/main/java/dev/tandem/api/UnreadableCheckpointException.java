package dev.tandem.api;

import java.io.Serial;

/**
 * Thrown by {@link TaskContext#checkpoint(Class)} if the checkpoint is not JSON that fits the type. Another version of the
 * program may have saved it and be able to read it, so the attempt fails like any other and the task is tried again.
 */
public final class UnreadableCheckpointException extends CheckpointException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Makes the exception for a checkpoint of this length. */
    public UnreadableCheckpointException(Class<?> type, int length, Throwable cause) {
        // What the parser says may quote the checkpoint. It is the second line, since only the first one is logged.
        super(
                "Cannot read the checkpoint of " + length + " bytes as " + type.getName()
                        + ". Another version of the program may have saved it\n" + cause.getMessage(),
                cause);
    }
}
