package dev.tandem.ordering;

/** How many tasks may run at once in this process. A slot is taken before a claim is asked for. */
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

    /** Takes up to so many, and says how many. */
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
            throw new IllegalStateException("More slots were given back than taken");
        }
    }

    void pause(boolean now) {
        paused = now;
    }

    int used() {
        return used;
    }
}
