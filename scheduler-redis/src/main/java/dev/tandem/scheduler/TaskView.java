package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * One task that Redis knows.
 *
 * @param at when the task is due, or when it ended, in epoch milliseconds; -1 if it has neither time (parked, active); a place,
 *     if it {@linkplain #isInLine() waits for its tenant's turn}
 * @param lapses claims that lapsed and are not among the envelope's attempts yet
 * @param envelope null while only the broker has it
 * @param claim null unless the task is active
 * @param head the task that its key waits for, which may be this task; null if it has no key or its key is open
 * @param success null unless it succeeded. Its envelope has no payload then, and no header of the publisher
 * @param notes what its runs have noted; none in lists
 */
public record TaskView(
        Partition partition,
        Position position,
        TaskState state,
        long at,
        int lapses,
        @Nullable Envelope envelope,
        @Nullable Claim claim,
        @Nullable Position head,
        @Nullable Success success,
        TaskNotes notes) {

    /** Scores from here on are no times but places in lines of tenants; see {@code read_lines.lua}. */
    private static final long FIRST_PLACE = 1L << 52;

    TaskView(
            Partition partition,
            Position position,
            TaskState state,
            long at,
            int lapses,
            @Nullable Envelope envelope,
            @Nullable Claim claim,
            @Nullable Position head,
            @Nullable Success success) {
        this(partition, position, state, at, lapses, envelope, claim, head, success, TaskNotes.NONE);
    }

    /** Whether the task waits for the turn of its tenant, and {@link #at} is its place in the line. */
    public boolean isInLine() {
        return state == TaskState.SCHEDULED && at >= FIRST_PLACE;
    }

    TaskView withNotes(TaskNotes its) {
        return new TaskView(partition, position, state, at, lapses, envelope, claim, head, success, its);
    }

    /**
     * The claim under which an active task runs.
     *
     * @param startedAt when it was claimed, in epoch milliseconds
     * @param leaseUntil when its lease ends unless it is renewed, in epoch milliseconds
     */
    public record Claim(
            long token, String executor, @Nullable String key, long startedAt, long leaseUntil) {}

    /**
     * The attempt that succeeded.
     *
     * @param startedAt in epoch milliseconds; 0 if unknown
     * @param result what its handler returned, as JSON; null if nothing is kept
     * @param duplicateOf the id of the task of which this one was a duplicate, so that it ended without a run; null if it ran
     */
    public record Success(
            long startedAt,
            long durationMillis,
            String executor,
            @Nullable String result,
            @Nullable String duplicateOf) {

        public Success(long startedAt, long durationMillis, String executor) {
            this(startedAt, durationMillis, executor, null, null);
        }
    }
}
