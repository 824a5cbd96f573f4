package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * One task that Redis knows of.
 *
 * @param at epoch milliseconds: when it is due, or when it ended; -1 if neither is known (parked, active)
 * @param lapses starts that ended with a lapsed lease and are not among the envelope's attempts yet
 * @param envelope null while only the broker has it
 * @param claim null unless it is active
 */
public record TaskView(
        Partition partition,
        Position position,
        TaskState state,
        long at,
        int lapses,
        @Nullable Envelope envelope,
        @Nullable Claim claim) {

    /**
     * Under what it runs.
     *
     * @param startedAt when it was claimed, epoch milliseconds
     * @param leaseUntil when its lease ends unless it is renewed, epoch milliseconds
     */
    public record Claim(
            long token, String executor, @Nullable String key, long startedAt, long leaseUntil) {}
}
