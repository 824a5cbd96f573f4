package dev.tandem.ordering;

/** Slots for the tasks that may run at once in this process. One is taken before a claim is asked for. */
final class WorkerSlots {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final int capacity;
    private int used;
    /** How many of them are held for claims on their way, and may come back unused. */
    private int asked;
    /** How many runs wait for leave to begin, and need no slot meanwhile. */
    private int waiting;
    /** The most runs at once, those that wait included. */
    private int bound = UNLIMITED;

    private boolean paused;
    private int limit = UNLIMITED;
    /** How many starts the limit still allows. */
    private int allowed = UNLIMITED;

    WorkerSlots(int capacity) {
        this.capacity = capacity;
    }

    boolean take() {
        return takeUpTo(1) == 1;
    }

    /** Takes up to so many slots. Returns how many were taken. */
    int takeUpTo(int wanted) {
        int taken = Math.min(wanted, free());
        used += taken;
        if (isLimited()) {
            allowed -= taken;
        }
        return taken;
    }

    boolean any() {
        return free() > 0;
    }

    /** Whether all slots are taken, and starts are not held back for another reason. */
    boolean areAllTaken() {
        return !paused && !isLimited() && used >= size();
    }

    /** Whether runs have all slots. */
    boolean areAllOfRuns() {
        return used - asked >= size();
    }

    /** Notes that a request is on its way for which slots were taken. */
    void asked(int count) {
        asked += count;
    }

    /** Notes that such a request was answered, or that nobody waits for its answer any more. */
    void answered(int count) {
        asked -= count;
    }

    int free() {
        return paused ? 0 : Math.max(0, Math.min(size() - used, allowed));
    }

    private int size() {
        return Math.min(capacity + waiting, bound);
    }

    /**
     * Sets how many runs wait for leave to begin, and how many there may be.
     *
     * @param runs hold no slot while they wait
     * @param most of all runs, those that wait included
     */
    void waiting(int runs, int most) {
        waiting = runs;
        bound = most;
    }

    /** Takes a slot that has just been given back again, for a run that has begun in it already. */
    void goOn() {
        used++;
        if (isLimited()) {
            allowed = Math.max(0, allowed - 1);
        }
    }

    /** Gives slots back in which nothing started. */
    void giveUnused(int count) {
        give(count);
        if (isLimited()) {
            allowed = Math.min(limit, allowed + count);
        }
    }

    /** Gives back the slot of a run that has ended. */
    void ended() {
        give(1);
    }

    private void give(int count) {
        used -= count;
        if (used < 0) {
            throw new IllegalStateException("More slots were given back than were taken");
        }
    }

    void pause(boolean now) {
        paused = now;
    }

    /** Allows so many further starts. */
    void limit(int starts) {
        limit = starts;
        allowed = starts;
    }

    void unlimit() {
        limit(UNLIMITED);
    }

    /** How many starts are allowed apart from what runs already. */
    int allowed() {
        return paused ? 0 : allowed;
    }

    boolean isLimited() {
        return limit != UNLIMITED;
    }

    int used() {
        return used;
    }
}
