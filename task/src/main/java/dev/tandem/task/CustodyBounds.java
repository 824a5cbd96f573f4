package dev.tandem.task;

/**
 * How much of one partition the store may hold: scheduled, failed, parked and long-running tasks together. At a bound no
 * fresh task starts, and none is scheduled or parked. They wait in their broker.
 *
 * @param maxTasks a number of tasks, 1 or more
 * @param maxBytes of the store's memory, estimated, 1 or more
 */
public record CustodyBounds(long maxTasks, long maxBytes) {

    /** A million tasks, or 1 GiB. */
    public static final CustodyBounds DEFAULTS = new CustodyBounds(1_000_000, 1L << 30);

    public CustodyBounds {
        requirePositive("maxTasks", maxTasks);
        requirePositive("maxBytes", maxBytes);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", it must be 1 or more");
        }
    }
}
