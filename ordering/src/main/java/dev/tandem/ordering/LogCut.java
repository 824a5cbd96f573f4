package dev.tandem.ordering;

import dev.tandem.task.store.StoreRequest.Acquire;

/**
 * Where a log was cut, until the store durably knows it. Each acquire names the cut again until then, since a store that
 * forgot it has the settled bits of lost records. So that it makes nothing void that was settled after the cut, the acquire
 * also names the last incarnation that the cut applies to.
 */
final class LogCut {

    private static final long NOT_TOLD = Long.MAX_VALUE;

    private long offset = Acquire.NO_CUT;
    private long of = Acquire.ANY_INCARNATION;
    /** The number of the last acquire that told the store. */
    private long toldWith = NOT_TOLD;

    private boolean recorded;
    /** All requests up to this number are durable. */
    private long durableUpTo;

    /** Where the log was cut; {@link Acquire#NO_CUT} if the store durably knows of all cuts. */
    long offset() {
        return offset;
    }

    /** The last incarnation that the cut applies to. */
    long of() {
        return of;
    }

    boolean isPending() {
        return offset != Acquire.NO_CUT;
    }

    /** Returns the offset up to which a prefix may be committed. Beyond it, the next owner could not notice the cut. */
    long bound(long prefix) {
        return isPending() ? Math.min(prefix, offset) : prefix;
    }

    /**
     * Notes a cut. Of several, the lowest offset counts.
     *
     * @param incarnation the present one; {@link Acquire#ANY_INCARNATION} if another process may have begun a later one
     */
    void noticed(long at, long incarnation) {
        if (!isPending()) {
            offset = at;
            of = incarnation;
        } else {
            offset = Math.min(offset, at);
            // An acquire may have begun the next incarnation for the cut before this one, even if its answer was
            // missed.
            of = of == Acquire.ANY_INCARNATION ? of : of + 1;
        }
        toldWith = NOT_TOLD;
    }

    /**
     * Notes a cut of records that the present incarnation does not know, while earlier ones may know them. The store may
     * still go back to one of those.
     *
     * @param beganWith the number of the acquire that told of the present incarnation
     */
    void noticedLater(long at, long incarnation, long beganWith) {
        if (isPending()) {
            offset = Math.min(offset, at);
        } else {
            offset = at;
            told(beganWith, incarnation);
            durable(durableUpTo);
        }
    }

    /** Notes that an acquire told the store of the cut, and was answered with this incarnation. */
    void told(long number, long incarnation) {
        if (!isPending()) {
            return;
        }
        if (incarnation == 0) {
            // The store had nothing to make void, and there is no earlier state that it could go back to.
            forget();
            recorded = true;
        } else {
            of = incarnation - 1;
            toldWith = number;
        }
    }

    /** Notes that all requests up to this number are durable. */
    void durable(long upTo) {
        durableUpTo = upTo;
        if (isPending() && toldWith <= upTo) {
            forget();
            recorded = true;
        }
    }

    /** Returns, once, whether the store durably knows of all cuts by now. */
    boolean takeRecorded() {
        boolean now = recorded && !isPending();
        recorded = false;
        return now;
    }

    void forget() {
        offset = Acquire.NO_CUT;
        of = Acquire.ANY_INCARNATION;
        toldWith = NOT_TOLD;
        recorded = false;
    }
}
