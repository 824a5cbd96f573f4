package dev.tandem.server.inspect;

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
        RUNNING
    }

    /** Makes a dead task due now, with all its attempts, or a delayed one due now. */
    Change retry(String queue, TaskRef ref);

    /** Deletes a dead task, or cancels a waiting one. */
    Change delete(String queue, TaskRef ref);

    /** An action on a halted key. */
    enum KeyAction {
        /** Runs its dead head again. */
        RETRY,
        /** Leaves its head dead, and opens the key for the next task. */
        SKIP,
        /** Makes all tasks dead that wait in its lane, and opens the key. */
        DRAIN
    }

    Change key(String queue, String key, KeyAction action);

    void pause(String queue, boolean paused);
}
