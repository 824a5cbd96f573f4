package dev.tandem.executor;

/**
 * How much the runs of a queue's tasks may note in the store.
 *
 * @param maxCheckpointBytes the largest checkpoint; 0: none may be saved
 * @param maxLogLines how many lines of the log of a task are kept; 0: none
 */
public record NotePolicy(int maxCheckpointBytes, int maxLogLines) {

    /** Checkpoints of 64 KiB, and 20 lines. */
    public static final NotePolicy DEFAULTS = new NotePolicy(64 << 10, 20);

    /** @throws IllegalArgumentException if a number is negative */
    public NotePolicy {
        if (maxCheckpointBytes < 0 || maxLogLines < 0) {
            throw new IllegalArgumentException("max-checkpoint-bytes is " + maxCheckpointBytes
                    + " and max-log-lines is " + maxLogLines + ", they must be 0 or more");
        }
    }
}
