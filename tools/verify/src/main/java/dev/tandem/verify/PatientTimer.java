package dev.tandem.verify;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A limit for something that is looked at again and again. Time counts only while this process could work and nothing progressed,
 * so that a busy machine is given more of it; but there is an end to that. Not thread-safe.
 */
final class PatientTimer {

    /** A look that comes later than this was kept from coming: only so much counts. */
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /** How much longer it takes at most. */
    private static final int MOST_TIMES = 4;

    private final long limit;
    private final long end;
    private long counted;
    private long last;
    private long progress;

    /** @param now in nanoseconds */
    PatientTimer(Duration limit, long now) {
        this.limit = limit.toNanos();
        this.end = now + MOST_TIMES * this.limit;
        this.last = now;
    }

    /**
     * Counts the time since the last look.
     *
     * @param now in nanoseconds
     * @param reached a number that grows with the progress
     * @return whether the limit is reached
     */
    boolean isOver(long now, long reached) {
        if (reached > progress) {
            progress = reached;
        } else {
            counted += Math.min(now - last, MOST_NANOS);
        }
        last = now;
        return counted >= limit || now >= end;
    }
}
