package dev.tandem.ordering;

/** State that a simulated consumer keeps for a partition assigned to it. */
final class ConsumedPartition {
    /** The offset to fetch next; -1: none yet, or a message queue. */
    long fetch = -1;

    boolean opened;
    boolean paused;
}
