package dev.tandem.ordering;

/** Slots for the tasks that may run at once in this process. One is taken before a claim is asked for. */
final class WorkerSlots {

    private final int capacity;
    private int used;
    private boolean paused;

    WorkerSlots(int capacity) {
        this.capacity = capacity;
    }

    boolean take() {
        if (paused || used >= capacity) {
            return false;
        }
        used++;
        return true;
    }

    /** Takes up to so many slots. Returns how many were taken. */
    int takeUpTo(int wanted) {
        int taken = Math.min(wanted, free());
        used += taken;
        return taken;
    }

    boolean any() {
        return !paused && used < capacity;
    }

    int free() {
        return paused ? 0 : capacity - used;
    }

    void give(int count) {
        used -= count;
        if (used < 0) {
            throw new IllegalStateException("More slots were given back than were taken");
        }
    }

    void pause(boolean now) {
        paused = now;
    }

    int used() {
        return used;
    }
}
