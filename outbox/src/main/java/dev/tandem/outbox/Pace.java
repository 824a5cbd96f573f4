package dev.tandem.outbox;

/**
 * Decides when the table is read next: at once while there is much, less and less often while there is nothing, at last each
 * second. A relay that is told of new rows sleeps once there was nothing for a while. Times are milliseconds of a monotonic
 * clock. Used by one thread.
 */
final class Pace {

    /** The longest time between two reads. */
    static final long IDLE = 1_000;

    private static final long FIRST_IDLE = 20;
    private static final int READS_BEFORE_SLEEP = 4;

    /** After a read that found few rows: more of them come in one read. */
    private static final long FEW = 10;

    /** While much is in memory. */
    private static final long BUSY = 100;

    /** The longest rest after a read. What seems to have taken longer was a pause of the machine. */
    private static final long MAX_REST = 10_000;

    private long lastRead;
    private long nextRead;
    private int emptyReads;
    private boolean asleep;

    /** Returns when to read next. */
    long nextReadAt(int held, int batch) {
        // What is published slowly must not keep the rest waiting.
        return held > batch / 2 ? Math.max(nextRead, lastRead + BUSY) : nextRead;
    }

    /** Notes that there are new rows. */
    void woken(long now) {
        nextRead = Math.min(nextRead, now);
    }

    /** Notes a read. */
    void read(int rows, int batch, long began, long ended, boolean toldOfRows) {
        // A read that takes long, because it leaves out much, takes half of the time at most.
        long rest = Math.min(ended - began, MAX_REST);
        lastRead = ended;
        if (rows > 0) {
            emptyReads = 0;
            asleep = false;
            nextRead = ended + (rows >= batch ? 0 : Math.max(rest, FEW));
            return;
        }
        emptyReads++;
        if (!asleep && toldOfRows && emptyReads >= READS_BEFORE_SLEEP) {
            asleep = true;
            nextRead = ended; // once more: a row may have come before the writers knew
        } else if (asleep && toldOfRows) {
            nextRead = ended + Math.max(rest, IDLE);
        } else {
            asleep = false;
            nextRead = ended + Math.max(rest, Math.min(FIRST_IDLE << Math.min(emptyReads, 10), IDLE));
        }
    }

    /** Returns whether writers are to notify. */
    boolean isAsleep() {
        return asleep;
    }
}
