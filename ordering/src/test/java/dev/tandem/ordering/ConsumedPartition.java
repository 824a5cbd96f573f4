package dev.tandem.ordering;

/** What a simulated consumer knows of a partition that it was assigned. */
final class ConsumedPartition {
    /** The offset to fetch next; -1: none yet, or a message queue. */
    long fetch = -1;

    boolean opened;
    boolean paused;
}
