package dev.tandem.verify.check;

/**
 * A time span, both ends included.
 *
 * @param to {@link #NEVER} if it has no end
 */
record Period(long from, long to) {

    /** The time of an event that did not happen. */
    static final long NEVER = Long.MAX_VALUE;

    boolean includes(long at) {
        return from <= at && at <= to;
    }

    boolean overlaps(long begin, long end) {
        return from <= end && to >= begin;
    }
}
