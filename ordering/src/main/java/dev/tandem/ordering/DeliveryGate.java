package dev.tandem.ordering;

/** Whether the source delivers tasks of a partition, and what it must be told about that. */
final class DeliveryGate {

    private boolean opened;
    private boolean openWanted;
    private boolean rewindWanted;
    private boolean leftWanted;
    private boolean paused;

    /** Begins a new assignment, closed. */
    void assigned() {
        opened = false;
        openWanted = false;
        rewindWanted = false;
        paused = false;
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
    boolean pause(boolean full) {
        boolean changed = paused != full;
        paused = full;
        return changed;
    }
}
