package dev.tandem.task.store;

/**
 * How the tasks of a queue are told from their duplicates by their deduplication keys.
 *
 * @param mode which of two tasks with one key runs
 * @param windowMillis for how long after the arrival of the first task its key is taken; 0: the time since then does not
 *     matter
 * @param untilDone whether the key is taken until the first task has ended
 * @param retentionMillis for how long it stays taken after that; counts only with {@code untilDone}
 * @param releaseOnFailure whether the key is free as soon as its task is dead or cancelled
 * @param lostAfterMillis after how long without a sign of a task that has not ended it counts as lost, counted from the time
 *     at which the task is due
 * @param keptMillis for how long the end of a task is remembered at least, for tasks that wait for it; ten minutes count in any
 *     case. 0: for as long as tasks are known to wait for those of the queue
 */
public record DedupPolicy(
        Mode mode,
        long windowMillis,
        boolean untilDone,
        long retentionMillis,
        boolean releaseOnFailure,
        long lostAfterMillis,
        long keptMillis) {

    public DedupPolicy(
            Mode mode,
            long windowMillis,
            boolean untilDone,
            long retentionMillis,
            boolean releaseOnFailure,
            long lostAfterMillis) {
        this(mode, windowMillis, untilDone, retentionMillis, releaseOnFailure, lostAfterMillis, 0);
    }

    /** The defaults of the settings: the first task runs, and its key is taken until it ends, and for ten minutes at least. */
    public static final DedupPolicy DEFAULT = new DedupPolicy(Mode.FIRST, 600_000, true, 0, true, 24 * 3_600_000L);

    /** Returns the same policy that remembers ends for so long. */
    public DedupPolicy withKept(long millis) {
        return new DedupPolicy(
                mode, windowMillis, untilDone, retentionMillis, releaseOnFailure, lostAfterMillis, millis);
    }

    /** Returns the same policy, by which a task counts as lost after so long at the earliest. */
    public DedupPolicy lostAfterAtLeast(long millis) {
        return millis <= lostAfterMillis
                ? this
                : new DedupPolicy(mode, windowMillis, untilDone, retentionMillis, releaseOnFailure, millis, keptMillis);
    }

    /** The shortest time after which a task counts as lost. */
    public static final long LEAST_LOST_AFTER = 60_000;

    /** Which of two tasks with one deduplication key runs. */
    public enum Mode {
        /** The first one. */
        FIRST,
        /** The last one that comes before any has begun, at the time of the first, or at its own if that is later. */
        REPLACE,
        /** The last one that comes before any has begun, at its own time. */
        KEEP_LAST
    }
}
