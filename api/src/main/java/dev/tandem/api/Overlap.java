package dev.tandem.api;

/** The policy for a firing while the task of an earlier one has not ended. */
public enum Overlap {
    /** Both run. */
    ALLOW,
    /** The later one waits for its turn: both have the same key. */
    QUEUE,
    /** The later one does not fire. */
    SKIP,
    /** The earlier one is cancelled, and the later one begins when it has ended, or five seconds later. */
    CANCEL
}
