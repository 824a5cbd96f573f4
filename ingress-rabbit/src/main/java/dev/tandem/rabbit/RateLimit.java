package dev.tandem.rabbit;

import java.util.ArrayDeque;

/** Allows something so many times within a period. Used by the loop's thread only. */
final class RateLimit {

    private final int times;
    private final long periodNanos;
    private final ArrayDeque<Long> taken = new ArrayDeque<>();

    RateLimit(int times, long periodNanos) {
        this.times = times;
        this.periodNanos = periodNanos;
    }

    /** Takes one of the times that are left. Returns false if none is. */
    boolean tryTake(long nowNanos) {
        while (!taken.isEmpty() && nowNanos - taken.getFirst() >= periodNanos) {
            taken.removeFirst();
        }
        boolean left = taken.size() < times;
        if (left) {
            taken.addLast(nowNanos);
        }
        return left;
    }
}
