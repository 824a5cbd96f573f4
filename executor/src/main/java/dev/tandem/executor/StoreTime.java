package dev.tandem.executor;

/**
 * Tells at which time here a store answered, by the quickest of its answers: one that comes late does not count as given late.
 * Times here are monotonic nanoseconds. No clock. Not thread-safe.
 */
final class StoreTime {

    /** By which part of the time the two clocks may have run apart. */
    private static final long DRIFT_PART = 5_000;

    private boolean known;
    /** The time here minus the time of the store, at most. */
    private long offset;

    private long learnedAt;

    /**
     * Takes note of an answer.
     *
     * @param askedAt when the store was asked
     * @param now when the answer came
     * @param atMicros when the store answered, by its own clock
     * @return when the store answered, or a little later
     */
    long answered(long askedAt, long now, long atMicros) {
        long at = atMicros * 1_000;
        long drifted = offset + (now - learnedAt) / DRIFT_PART;
        // Before it was asked it cannot have answered: then its clock was set.
        boolean isSet = known && at + drifted < askedAt;
        offset = known && !isSet ? Math.min(drifted, now - at) : now - at;
        known = true;
        learnedAt = now;
        return at + offset;
    }
}
