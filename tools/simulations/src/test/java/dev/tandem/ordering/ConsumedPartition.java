package dev.tandem.ordering;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** State that a simulated consumer keeps for a partition assigned to it. */
final class ConsumedPartition {
    /** The offset to fetch next; -1: none yet, or a message queue. */
    long fetch = -1;

    boolean opened;
    boolean paused;

    // ---- logs only ----

    /** The log as the consumer knows it, by the leader epochs of its records. It may have been cut since. */
    @Nullable
    List<@Nullable SimTask> log;

    /** The log as a commit tells of it: as long as the store may not know of a cut, that of before it. */
    @Nullable
    List<@Nullable SimTask> told;

    /** Where reading started, as it was looked up when the partition was assigned. */
    long assignedAt;

    /** Nothing is delivered before the core rewinds. */
    boolean awaitsRewind;
    /** Where reading starts since the log was cut below the committed offset; -1: it was not. */
    long start = -1;
    /** The highest offset that was committed, or sent in a commit. */
    long highestSent;
    /** The highest offset of which the commit was answered. */
    long committed;
}
