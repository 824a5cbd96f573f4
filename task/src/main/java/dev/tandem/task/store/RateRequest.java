package dev.tandem.task.store;

/**
 * A request for tokens of a rate limit, or that none be given for a while.
 *
 * @param bucket which of the limit's buckets: the key, or what else its tasks are told apart by; "" if there is one
 * @param tokens how many are wanted, 0 or more
 * @param intervalMicros the time in which one token comes, by the settings. A {@link LimitOverride} takes the place of this and the burst
 * @param burst how many tokens are kept while none is taken
 * @param aheadMillis how long before its time a token may be reserved
 * @param pauseMillis for how long no further token is given; 0 for no pause
 */
public record RateRequest(
        String bucket, int tokens, long intervalMicros, int burst, long aheadMillis, long pauseMillis) {

    /** The most requests of one call. */
    public static final int MAX_REQUESTS = 100;

    /** How long before its time executors reserve a token, so that it is used at its time. */
    public static final long AHEAD_MILLIS = 200;

    /** Returns a request for no token, whose answer has the rate in force. */
    public static RateRequest ofRate(String bucket, long intervalMicros, int burst) {
        return new RateRequest(bucket, 0, intervalMicros, burst, AHEAD_MILLIS, 0);
    }

    /** Returns whether it asks for the rate in force alone: for no token, and for no pause. */
    public boolean asksForRate() {
        return tokens == 0 && pauseMillis == 0;
    }
}
