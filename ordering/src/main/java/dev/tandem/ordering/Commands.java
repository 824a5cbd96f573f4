package dev.tandem.ordering;

import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;

/** Takes the core's commands. Called only from {@link QueueCore#flush}; to be carried out in the order of the calls. */
public interface Commands extends RedeliveryResolver.Output {

    /** Sends a request on the partition's store link, in order. */
    @Override
    void send(StoreRequest request);

    /** Opens the store link of a partition that is not ours. {@link QueueCore#storeUp} follows. */
    @Override
    void reach(Partition partition);

    /** Runs a handler on a worker. {@link QueueCore#finished} takes the end of the run. */
    void start(Run run);

    /** Commits a log up to {@code upTo}, exclusive. {@link QueueCore#committed} or {@code commitFailed} follows. */
    void commit(Partition partition, long upTo);

    /** Acks messages of a message queue. */
    void ack(Partition partition, Collection<Long> sequences);

    /** Lets deliveries start: the store made this process the owner. */
    void open(Partition partition);

    void pause(Partition partition);

    void resume(Partition partition);

    /** Goes back to the committed offset. Everything that is not settled is delivered again. */
    void rewind(Partition partition);

    /** Says that the store durably knows of all cuts of a log that {@link QueueCore#cut} was told of. */
    void cutRecorded(Partition partition);

    /** Reads records of a log again. {@link QueueCore#recalled} or {@code recallFailed} follows. */
    void recall(Partition partition, Recall recall);

    /** Asks the broker whether the partition is still ours. {@link QueueCore#confirmed} or {@code lost} follows. */
    void confirm(Partition partition);

    /** Gives the partition up: it was released in the store, or lost. Late outcomes may still be sent. */
    void left(Partition partition);

    /** Says that a task with a deduplication key has come. It may be said again of the same task. */
    default void arrived(Arrival arrival) {}

    /**
     * Says that the end of a run is recorded, also if the ownership has ended meanwhile. It is said of tasks that waited for
     * others, and of runs that {@linkplain Run#reportEnd asked for it}; not of each: the process may end before the store has
     * answered.
     */
    default void recorded(RecordedEnd end) {}

    /** Says of the same runs that the store refused their end: the task has begun again elsewhere, or has ended. */
    default void refused(RefusedEnd end) {}

    /** Reports something to log. It has no effect on anything. */
    default void report(CoreEvent event) {}
}
