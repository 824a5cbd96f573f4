package dev.tandem.server.inspect;

import dev.tandem.task.store.PausedTasks;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Port: changes tasks, keys and queues in the store. Thread-safe. All methods may throw {@link UnavailableException}.
 */
public interface Administration {

    /** The result of a change. */
    enum Change {
        DONE,
        /** There is no such task, or the key is not blocked. */
        NOT_FOUND,
        /** Refused because the task, or a task of the key, is running. */
        RUNNING,
        /** Refused because the task is not in a state that may be changed so. */
        OTHER_STATE,
        /** Refused because the task would expire before it could run. */
        WOULD_EXPIRE,
        /** Refused because the dead task halts its key. */
        HALTS_KEY,
        /** Refused because the head of the key is alive. */
        NOT_HALTED,
        /** Refused because Redis does not have the head of the key: its broker will deliver it again. */
        IN_BROKER,
        /** Refused because the key has another head than the one that was named. */
        OTHER_HEAD,
        /** A drain ended early, because the head has changed meanwhile. Tasks behind it have died. */
        DONE_IN_PART,
        /** The store did not answer: the change was made, made in part, or not made. */
        UNKNOWN
    }

    /**
     * Makes a dead task due now, with all its attempts, or a delayed one due now.
     *
     * @param deadOnly whether to refuse any other than a dead one
     */
    Change retry(String queue, TaskRef ref, boolean deadOnly);

    /** The tasks that a deletion may take. */
    enum Deletion {
        ANY,
        DEAD,
        /** Dead ones that do not halt their keys. */
        DEAD_NOT_HALTING,
        /** Waiting tasks: they are cancelled. */
        WAITING
    }

    /** Deletes a dead task, or cancels a waiting one. */
    Change delete(String queue, TaskRef ref, Deletion which);

    /** Frees a deduplication key. @return whether it was taken */
    boolean freeDedupKey(String queue, String key);

    /** The result of a cancellation. */
    enum CancelResult {
        /** The task will never run, or its handler was interrupted and has ended. That is recorded. */
        CANCELLED,
        /** The task had ended, or did so in the meantime: it succeeded, expired, died, or was cancelled before. */
        ENDED,
        /** The executor that has the task has interrupted it or marked it, and its end is not recorded yet. */
        INTERRUPTED,
        /** The task is claimed, but no executor could interrupt it. */
        NOT_INTERRUPTED,
        /** The store has no such task, and no executor has it. */
        NOT_FOUND
    }

    /**
     * A cancellation.
     *
     * @param task the task as it was seen last; null if the store knows nothing of it
     */
    record Cancellation(CancelResult result, @Nullable TaskInfo task) {}

    /**
     * Cancels a task that waits, or that runs in any executor. Waits a few seconds for a handler to end.
     *
     * @param ref the task; null if the store does not know it, so that only executors may
     * @param id the id by which executors look for it if it has no reference
     */
    Cancellation cancel(String queue, @Nullable TaskRef ref, String id);

    /**
     * Gives a scheduled task, or one that waits for its next attempt, another time.
     *
     * @param at now, if it is in the past
     * @param starts how often the task was started when it was seen: {@link Change#NOT_FOUND} if it was started since; null if that
     *     does not matter
     */
    Change reschedule(String queue, TaskRef ref, Instant at, @Nullable Integer starts);

    /**
     * Gives a waiting or dead task another payload. {@link Change#NOT_FOUND} if it has another payload than the one that was seen,
     * or has changed in another way meanwhile.
     *
     * @param seen the payload that was seen
     */
    Change edit(String queue, TaskRef ref, byte[] seen, byte[] payload);

    /** An action on a blocked key. */
    enum KeyAction {
        /** Runs its dead head again, or makes a waiting one due now. */
        RETRY,
        /** Leaves its head dead, and opens the key for the next task. */
        SKIP,
        /** Makes all tasks dead that wait in its lane, and opens the key. */
        DRAIN
    }

    /**
     * The change of a key in one partition.
     *
     * @param before the key as it was seen just before; only that head is changed
     * @param problem why the store did not answer; null if it did
     */
    record KeyChange(
            Change change, KeyInfo before, @Nullable String problem) {

        public KeyChange(Change change, KeyInfo before) {
            this(change, before, null);
        }
    }

    /**
     * Changes a key in every partition where it is blocked: one, or several if their number was changed. Empty if it is not
     * blocked. A change of one partition that fails does not keep back those of the others.
     *
     * @param force whether a head that is alive may be given up. One that was dead when it was looked at is not, if it has
     *     been retried since
     * @param head the only head to change; null for whichever head the key has
     */
    List<KeyChange> key(String queue, String key, KeyAction action, boolean force, @Nullable TaskRef head);

    void pause(String queue, boolean paused);

    /**
     * Starts no task of a type or a key any more.
     *
     * @param which one type, or one key
     * @return whether it is paused; false if so many others are that no further one can be
     */
    boolean pauseTasks(String queue, PausedTasks which);

    /**
     * Lets tasks of a type or a key start again.
     *
     * @param which one type, or one key
     * @param defaultType the type of tasks that name none; null if they have none
     */
    void resumeTasks(String queue, PausedTasks which, @Nullable String defaultType);
}
