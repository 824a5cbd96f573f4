package dev.tandem.kafka;

import dev.tandem.task.Partition;
import dev.tandem.task.Source.Facts;
import org.apache.kafka.common.TopicPartition;

/**
 * One assignment of one partition, from the broker's giving it until it is gone; a later one of the same partition is
 * another object, so that answers to an earlier one are known by {@link #gone}. Touched by the loop's thread only.
 */
final class Assignment {

    final TopicPartition topicPartition;
    final Partition partition;

    /** Not ours any more. */
    boolean gone;

    /** The engine was told of it. */
    boolean announced;

    /** Deliveries may come. */
    boolean open;

    /** The engine wants none for now. */
    boolean paused;

    /** The consumer stands outside the log: nothing is fetched until its facts are known. */
    boolean astray;

    /** Where it stands then. */
    long astrayAt;

    /** The log was cut: the committed offset is worth nothing. */
    boolean truncated;

    String topicId = "";
    long logStart;

    /** Settled up to here, by the broker; -1: nothing is known. */
    long committed;

    /** Where reading goes on if nothing is settled meanwhile. */
    long start;

    /** The highest offset that was sent to be committed; never falls within an assignment. */
    long sent;

    /** How many fetches there had been when reading was last moved; see {@link Assignments#fetched}. */
    long movedAt = -1;

    /** Must be told even though no record comes: where reading starts, behind a gap. -1: nothing. */
    long gapTo = -1;

    /** When the facts are to be looked up, by the loop's clock; {@link Long#MAX_VALUE}: not, or under way. */
    long lookUpAt = Long.MAX_VALUE;

    /** The engine asked for a confirmation. */
    boolean confirming;

    /** The facts are fresh: the fenced commit is next, at {@link #commitAt}. */
    boolean factsFresh;

    /** To be committed, for the engine; -1: nothing. */
    long wanted = -1;

    /** To be committed for our own sake, unchanged or as a pin. */
    boolean pin;

    /** Not before, after a failure; by the loop's clock. */
    long commitAt;

    Assignment(TopicPartition topicPartition, Partition partition) {
        this.topicPartition = topicPartition;
        this.partition = partition;
    }

    /** The first facts are there. */
    void begin(Start decided, Start.Found found) {
        topicId = found.topicId();
        logStart = found.logStart();
        committed = decided.committed();
        start = decided.offset();
        sent = decided.committed() >= 0 ? decided.committed() : decided.offset();
        pin = decided.pin();
        gapTo = decided.warning() != null && decided.offset() > found.offset() ? decided.offset() : -1;
    }

    /** Whether an offset is but the start, with nothing settled before it. */
    boolean isStart(long offset) {
        return committed < 0 && offset <= start;
    }

    /** Where reading starts (again). */
    long resumeAt() {
        return Math.max(start, committed);
    }

    Facts facts(long generation) {
        return new Facts(generation, topicId, committed, logStart);
    }
}
