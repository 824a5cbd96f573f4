package dev.tandem.executor;

/**
 * How much the runs of a queue's tasks may note in the store.
 *
 * @param maxCheckpointBytes the largest checkpoint; 0: none may be saved
 * @param maxLogLines how many lines of the log of a task are kept; 0: none
 * @param maxResultBytes the longest result that is kept of a task that succeeded; 0: none are kept
 */
public record NotePolicy(int maxCheckpointBytes, int maxLogLines, int maxResultBytes) {

    /** The longest result that may be allowed. It is kept in one record with the id, the key and the attempts. */
    public static final int MAX_RESULT_BYTES = 32 << 10;

    /** Checkpoints of 64 KiB, 20 lines, and no results. */
    public static final NotePolicy DEFAULTS = new NotePolicy(64 << 10, 20, 0);

    /** @throws IllegalArgumentException if a number is negative */
    public NotePolicy {
        if (maxCheckpointBytes < 0 || maxLogLines < 0 || maxResultBytes < 0 || maxResultBytes > MAX_RESULT_BYTES) {
            throw new IllegalArgumentException("max-checkpoint-bytes is " + maxCheckpointBytes
                    + ", max-log-lines is " + maxLogLines + " and max-result-bytes is " + maxResultBytes
                    + ", they must be 0 or more, and the last at most " + MAX_RESULT_BYTES);
        }
    }
}
