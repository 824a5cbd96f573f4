package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.List;

/**
 * A request that a run makes while its handler is active, by the token of its claim alone: no epoch, no number. It may be sent
 * in any order with all others ({@link Store#ask}).
 */
public sealed interface RunRequest extends StoreRequest {

    /** Whether the store lets a run write notes. */
    enum Standing {
        /** The position is claimed under the run's token. */
        CLAIMED,
        /** The outcome of this run is recorded, or a later run has begun. */
        ENDED,
        /** The claim is not written: not yet, or not any more. */
        UNKNOWN
    }

    /** Keeps a checkpoint in the place of the task's last one. Answered with {@link StoreAnswer.Checkpoint}. */
    record SaveCheckpoint(Partition partition, Position position, long token, byte[] checkpoint)
            implements RunRequest {}

    /** Reads the task's last checkpoint. Answered with {@link StoreAnswer.Checkpoint}. */
    record ReadCheckpoint(Partition partition, Position position, long token) implements RunRequest {}

    /**
     * Keeps the progress and log lines of runs. Answered with {@link StoreAnswer.ProgressKept}.
     *
     * @param maxLines how many lines of each task are kept, the last ones
     */
    record KeepProgress(Partition partition, int maxLines, List<RunNotes> runs) implements RunRequest {}

    /**
     * The new notes of one run.
     *
     * @param progress empty: it is as before
     * @param lines to be added to those of the task
     */
    record RunNotes(Position position, long token, String progress, List<String> lines) {}
}
