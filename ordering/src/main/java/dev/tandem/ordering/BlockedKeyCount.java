package dev.tandem.ordering;

/**
 * How many keys of the partition are blocked: as many as the store last said, and those that this owner has blocked since. At
 * a bound no task is started that might block one more. A few more may be blocked, by what runs already.
 */
final class BlockedKeyCount {

    private final int max;
    private long count;
    private boolean reported;

    BlockedKeyCount(int max) {
        this.max = max;
    }

    /** Takes what the store says. */
    void told(long blocked) {
        count = blocked;
        reported &= isAtBound();
    }

    /** Counts a key that is blocked by a request that is about to be sent. */
    void blocksOneMore() {
        count++;
    }

    boolean isAtBound() {
        return count >= max;
    }

    /** Whether at most half of the bound is taken, and one more. */
    boolean isHalfLeft() {
        return 2 * count < max;
    }

    long count() {
        return count;
    }

    /** @return whether the bound is reached and this was not asked since */
    boolean takeReached() {
        boolean first = isAtBound() && !reported;
        reported |= first;
        return first;
    }
}
