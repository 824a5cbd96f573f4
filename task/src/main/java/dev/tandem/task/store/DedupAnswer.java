package dev.tandem.task.store;

/** What the store answers to a {@link DedupRequest}. */
public sealed interface DedupAnswer {

    /** The task may run: the key is its own. */
    record Go() implements DedupAnswer {
        public static final Go INSTANCE = new Go();
    }

    /**
     * The key belongs to another task, so that this one ends without a run.
     *
     * @param of the id of the other task, for people
     */
    record Duplicate(String of) implements DedupAnswer {}

    /** The task itself has succeeded before. */
    record Done() implements DedupAnswer {
        public static final Done INSTANCE = new Done();
    }

    /** The task runs in the place of one that is not due yet. */
    record Wait(long millis) implements DedupAnswer {}

    /**
     * An end was noted.
     *
     * @param awaited whether tasks may wait for it
     */
    record Noted(boolean awaited) implements DedupAnswer {
        public static final Noted INSTANCE = new Noted(false);
    }
}
