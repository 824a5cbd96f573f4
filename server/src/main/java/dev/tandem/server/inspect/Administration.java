package dev.tandem.server.inspect;

/** Port: changes what Redis holds. Thread-safe; all may throw {@link UnavailableException}. */
public interface Administration {

    /** What became of a change. */
    enum Change {
        DONE,
        /** There is no such task, or nothing to be changed about this key. */
        NOT_FOUND,
        /** It runs now. */
        RUNNING
    }

    /** Dead: due now, with all its attempts. Waiting for its time: due now. */
    Change retry(String queue, TaskRef ref);

    /** Dead: deleted. Waiting: cancelled. */
    Change delete(String queue, TaskRef ref);

    /** What to do with a halted key. */
    enum KeyAction {
        /** Its dead head runs again. */
        RETRY,
        /** Its head stays dead, the next one goes on. */
        SKIP,
        /** All that waits dies, the key is open. */
        DRAIN
    }

    Change key(String queue, String key, KeyAction action);

    void pause(String queue, boolean paused);
}
