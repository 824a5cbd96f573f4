package dev.tandem.rabbit;

import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides when a channel that is in order must be opened again, so that the broker delivers its unacked messages anew: it
 * has done so without closing the channel, or some of them did not fit into memory. Used by the loop's thread only.
 */
final class ChannelReopening {

    /** Bounds how often that happens where a broker's order of redeliveries is not as we know it. */
    private static final int MAX_TAKEN_BACK = 30;

    private static final long PERIOD_NANOS = 60_000_000_000L;

    /** The part of the memory, one in this many, that must be free before messages that did not fit are fetched. */
    private static final int MIN_FREE_SHARE = 8;

    private final RabbitSettings settings;
    private final MemoryBudget memory;
    private final QueueLog queueLog;
    private final Map<Partition, RateLimit> takenBack = new HashMap<>();
    private final RateLimit warnings = new RateLimit(1, PERIOD_NANOS);
    private boolean letGo;
    private long letGoAt;
    /** How many messages of a partition fitted into memory when it was full. */
    private int fitting;

    ChannelReopening(RabbitSettings settings, MemoryBudget memory, QueueLog queueLog) {
        this.settings = settings;
        this.memory = memory;
        this.queueLog = queueLog;
    }

    /** Whether the broker took messages of the channel back, which the batch shows. The batch comes again. */
    boolean wasTakenBack(OpenPartition open, List<Delivery> batch) {
        boolean reopen = settings.ordered()
                && open.isTakenBack(batch)
                && takenBack
                        .computeIfAbsent(open.partition, p -> new RateLimit(MAX_TAKEN_BACK, PERIOD_NANOS))
                        .tryTake(System.nanoTime());
        if (reopen) {
            queueLog.warn(
                    "RabbitMQ took messages of " + open.channel() + " back and delivered them again, as it does"
                            + " when nodes of its cluster lose contact. The channel is opened again, so that no task runs twice");
        }
        return reopen;
    }

    /**
     * Whether messages of the channel did not fit into memory, and there is room for them now. By then all others of the
     * channel are acked, so these return to their queue alone, and in their order.
     */
    boolean mustFetchAgain(ConsumerChannel channel) {
        if (channel.letGo() == 0) {
            return false;
        }
        long now = System.nanoTime();
        fitting = Math.max(1, letGo ? Math.min(fitting, channel.mostHeld()) : channel.mostHeld());
        letGo = true;
        letGoAt = now;
        if (warnings.tryTake(now)) {
            queueLog.warn("the messages of " + channel + " do not fit into tandem.executor.memory (" + memory
                    + " are taken). Some are left to the broker and delivered again later, which is slow. Raise that"
                    + " setting, or lower 'prefetch' to " + fitting + " or less");
        }
        return channel.isDrained() && memory.free() >= memory.bytes() / MIN_FREE_SHARE;
    }

    /**
     * Returns the prefetch of a new channel. An unordered queue whose messages did not fit has a smaller one for a minute. An
     * ordered queue keeps its own: a quorum queue appends what a channel returns to what was returned before it, so a
     * channel that could not take all of that would change its order.
     */
    int prefetch() {
        letGo &= System.nanoTime() - letGoAt < PERIOD_NANOS;
        return letGo && !settings.ordered() ? Math.min(fitting, settings.prefetch()) : settings.prefetch();
    }
}
