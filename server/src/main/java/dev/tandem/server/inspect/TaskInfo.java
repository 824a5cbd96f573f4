package dev.tandem.server.inspect;

import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Envelope;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldTask;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One task in the store.
 *
 * @param at when it is due (scheduled, retry), started (active) or ended (dead, succeeded); null if unknown
 * @param key its ordering key, known even without an envelope
 * @param attempts starts so far
 * @param executor the executor that runs it; null if none does
 * @param head the task that its key waits for, which may be this task; null if it has no key, or its key is open
 * @param envelope null for a running task in the broker's custody, of which the store knows only the claim. It has no payload if
 *     an executor gave it
 * @param durationMillis how long the last attempt ran of a task that succeeded, expired or was cancelled; null of any other
 *     task. If it is not null, the envelope has no payload
 * @param history its last attempts, the earliest first
 * @param result what its handler returned, as JSON; null if nothing is kept
 * @param notes what its runs have noted; none in lists
 * @param duplicateOf the id of the task of which this one was a duplicate, so that it ended without a run; null if it was none
 * @param held what the executor says that has it in its memory; null if none was asked, or none has it
 */
public record TaskInfo(
        TaskRef ref,
        TaskState state,
        @Nullable Instant at,
        @Nullable String key,
        int attempts,
        @Nullable String executor,
        @Nullable TaskRef head,
        @Nullable Envelope envelope,
        @Nullable Long durationMillis,
        List<AttemptRecord> history,
        TaskNotes notes,
        @Nullable String result,
        @Nullable String duplicateOf,
        @Nullable HeldTask held) {

    /** Makes a task of which no result is kept, and that was no duplicate. */
    public TaskInfo(
            TaskRef ref,
            TaskState state,
            @Nullable Instant at,
            @Nullable String key,
            int attempts,
            @Nullable String executor,
            @Nullable TaskRef head,
            @Nullable Envelope envelope,
            @Nullable Long durationMillis,
            List<AttemptRecord> history,
            TaskNotes notes) {
        this(ref, state, at, key, attempts, executor, head, envelope, durationMillis, history, notes, null, null, null);
    }

    /** Returns what an executor says of a task of which the store knows nothing. */
    public static TaskInfo inMemory(HeldTask held) {
        return new TaskInfo(
                        TaskRef.of(held.place()),
                        held.running() ? TaskState.ACTIVE : TaskState.DELIVERED,
                        null,
                        held.envelope().task().key(),
                        held.envelope().attempts() + (held.running() ? 1 : 0),
                        held.executor(),
                        null,
                        null,
                        null,
                        List.of(),
                        TaskNotes.NONE)
                .withHeld(held);
    }

    /** Returns the same task with what its runs have noted. */
    public TaskInfo withNotes(TaskNotes its) {
        return new TaskInfo(
                ref,
                state,
                at,
                key,
                attempts,
                executor,
                head,
                envelope,
                durationMillis,
                history,
                its,
                result,
                duplicateOf,
                held);
    }

    /** Returns the same task with what its executor says. Of a task that the store does not hold, that is all that is known. */
    public TaskInfo withHeld(HeldTask its) {
        return new TaskInfo(
                ref,
                state,
                at,
                key,
                attempts,
                executor,
                head,
                envelope == null ? its.envelope() : envelope,
                durationMillis,
                history,
                notes,
                result,
                duplicateOf,
                its);
    }

    /** Whether only the broker has the payload of this task that has not ended. */
    public boolean isInBroker() {
        return envelope == null || held != null && envelope == held.envelope();
    }

    /** Whether this dead task halts its key. */
    public boolean halts() {
        return state == TaskState.DEAD && ref.equals(head);
    }
}
