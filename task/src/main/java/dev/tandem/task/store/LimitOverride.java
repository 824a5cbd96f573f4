package dev.tandem.task.store;

/** Numbers that an operator has set in place of a limit's settings. They hold for all executors until they are removed. */
public sealed interface LimitOverride {

    /** The longest name of who has set it. */
    int MAX_NAME = 200;

    /** In the place of a revision: the limit has no override. */
    String NO_REVISION = "none";

    /** Returns who has set it. */
    String by();

    /** Returns when, in epoch milliseconds by the store's clock. */
    long atMillis();

    /** Returns the revision that the store gave the limit when it was set. No other change of the limit has the same one. */
    String revision();

    /** The most permits of all executors together. */
    record OfPermits(int max, String by, long atMillis, String revision) implements LimitOverride {}

    /**
     * A rate.
     *
     * @param intervalMicros the time in which one token comes
     * @param burst how many tokens are kept while none is taken
     */
    record OfRate(long intervalMicros, int burst, String by, long atMillis, String revision) implements LimitOverride {}
}
