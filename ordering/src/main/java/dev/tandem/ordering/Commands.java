package dev.tandem.ordering;

import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreRequest;
import java.util.Collection;

/** What the core wants done. Called only from {@link QueueCore#flush}; carried out in the order of the calls. */
public interface Commands extends RedeliveryResolver.Output {

    /** Sends to the partition's store link, in order. */
    @Override
    void send(StoreRequest request);

    /** Opens the way to the store of a partition that is not ours. {@link QueueCore#storeUp} follows. */
    @Override
    void reach(Partition partition);

    /** Runs a handler on a worker; its end comes back by {@link QueueCore#finished}. */
    void start(Run run);

    /** A log's settled prefix, exclusive. */
    void commit(Partition partition, long upTo);

    /** Settled messages of a queue. */
    void ack(Partition partition, Collection<Long> sequences);

    /** The partition is ours in the store: deliveries may start. */
    void open(Partition partition);

    void pause(Partition partition);

    void resume(Partition partition);

    /** Goes back to the committed offset; all that is not settled is delivered again. */
    void rewind(Partition partition);

    /** Asks the broker whether the partition is still ours. */
    void confirm(Partition partition);

    /** The partition is given up: released in the store, or lost. Late outcomes may still be sent. */
    void left(Partition partition);

    /** Something to log. It has no effect on anything. */
    default void report(CoreEvent event) {}
}
