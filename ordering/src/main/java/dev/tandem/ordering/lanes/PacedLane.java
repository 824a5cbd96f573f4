package dev.tandem.ordering.lanes;

/** How fast the tasks of a lane run, and whether they are claimed one by one. */
abstract sealed class PacedLane extends ReadyNode permits Lane {

    private static final long NEVER = Long.MIN_VALUE;

    /** Tasks that were run to their ends since {@link #pacedFrom}. */
    private int ended;

    private long pacedFrom = NEVER;
    /** How many further tasks are claimed one by one. */
    private int oneByOne;

    abstract int waitingCount();

    /** Counts a task of the lane that was run to its end. */
    public void taskEnded() {
        ended++;
        oneByOne = Math.max(0, oneByOne - 1);
    }

    /** Claims the next tasks one by one: one of them may have killed an executor under the claim of another. */
    public void claimOneByOne(int tasks) {
        oneByOne = tasks;
    }

    public boolean claimsOneByOne() {
        return oneByOne > 0;
    }

    /**
     * Returns in how many milliseconds the tasks that wait here will have been run, at the pace since this was asked last: 0
     * when it is asked first, {@link Long#MAX_VALUE} if none was run since.
     */
    public long takeMillisToEnd(long now) {
        long since = pacedFrom;
        int count = ended;
        pacedFrom = now;
        ended = 0;
        if (since == NEVER) {
            return 0;
        }
        return count == 0 ? Long.MAX_VALUE : waitingCount() * (now - since) / count;
    }
}
