package dev.tandem.ordering;

/** Whether the source delivers tasks of a partition, and what it must be told about that. */
final class DeliveryGate {

    /** If memory is full again within this time, it counts as never having been free. */
    private static final long MAX_BREAK_MILLIS = 1_000;

    private static final long NEVER = Long.MIN_VALUE;

    private boolean opened;
    private boolean openWanted;
    private boolean rewindWanted;
    private boolean leftWanted;
    private boolean paused;
    /** When memory became full, and when it last was not any more. Breaks are short if deliveries fill it again at once. */
    private long fullSince;

    private long fullUntil = NEVER;

    /** Begins a new assignment, closed. */
    void assigned() {
        opened = false;
        openWanted = false;
        rewindWanted = false;
        paused = false;
        fullUntil = NEVER;
    }

    boolean isOpened() {
        return opened;
    }

    /** Whether a delivery counts. Those before a rewind come again. */
    boolean delivers() {
        return opened && !rewindWanted;
    }

    void wantOpen() {
        openWanted = true;
    }

    /** @return whether the source must be told now */
    boolean takeOpen() {
        boolean now = openWanted;
        openWanted = false;
        opened |= now;
        return now;
    }

    /** Lets the source deliver all that is not settled again. It does so anyway if it was not opened yet. */
    void wantRewind() {
        rewindWanted = opened;
    }

    /** @return whether the source must be told now */
    boolean takeRewind() {
        boolean now = rewindWanted;
        rewindWanted = false;
        return now;
    }

    void wantLeft() {
        leftWanted = true;
    }

    /** @return whether the source must be told now */
    boolean takeLeft() {
        boolean now = leftWanted;
        leftWanted = false;
        return now;
    }

    boolean isPaused() {
        return paused;
    }

    /** @return whether that is a change, which the source must be told */
    boolean pause(boolean full, long now) {
        boolean changed = paused != full;
        if (changed && !full) {
            fullUntil = now;
        } else if (changed && (fullUntil == NEVER || now - fullUntil > MAX_BREAK_MILLIS)) {
            fullSince = now;
        }
        paused = full;
        return changed;
    }

    /** For how long memory has been full, short breaks included. Call it only while {@link #isPaused}. */
    long fullFor(long now) {
        return now - fullSince;
    }
}
