package dev.tandem.rabbit;

import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Decides when a channel that is in order must be opened again, so that the broker delivers its unacked messages anew: it
 * has done so without closing the channel; some of them did not fit into memory; they hold back a smaller prefetch; or one
 * has been unacked for nearly as long as the broker allows. The order holds, since each first prefetch is wide enough for
 * all that the channel before it returned. Used by the loop's thread only.
 */
final class ChannelReopening {

    /** Bounds how often that happens where a broker's order of redeliveries is not as we know it. */
    private static final int MAX_TAKEN_BACK = 30;

    private static final long PERIOD_NANOS = 60_000_000_000L;

    /** The part of the memory, one in this many, that must be free before messages that did not fit are fetched. */
    private static final int MIN_FREE_SHARE = 8;

    /** How long nothing is delivered while messages of the channel are waited for. */
    static final long DRAIN_NANOS = 20_000_000_000L;

    /** How often the first wait for a smaller prefetch is doubled after it was in vain: up to about an hour. */
    private static final int MAX_DOUBLINGS = 6;

    private final RabbitSettings settings;
    private final MemoryBudget memory;
    private final QueueLog queueLog;
    private final LongSupplier nanoTime;
    private final long maxUnackedNanos;
    private final Map<Partition, PartitionHistory> histories = new HashMap<>();
    private final RateLimit warnings = new RateLimit(1, PERIOD_NANOS);
    private final RateLimit timeoutWarnings = new RateLimit(1, PERIOD_NANOS);
    private boolean letGo;
    private long letGoAt;
    /** How many messages of a partition fitted into memory when it was full. */
    private int fitting;

    /** @param nanoTime elapsed time in nanoseconds */
    ChannelReopening(RabbitSettings settings, MemoryBudget memory, QueueLog queueLog, LongSupplier nanoTime) {
        this.settings = settings;
        this.memory = memory;
        this.queueLog = queueLog;
        this.nanoTime = nanoTime;
        this.maxUnackedNanos = settings.maxUnacked().toNanos();
    }

    /** Whether the broker took messages of the channel back, which the batch shows. The batch comes again. */
    boolean wasTakenBack(OpenPartition open, List<Arrival> batch) {
        if (!settings.ordered() || batch.isEmpty()) {
            return false; // Asked in each turn of the loop.
        }
        PartitionHistory history = history(open.partition);
        boolean reopen =
                open.isTakenBack(batch, history) && history.reopenings().tryTake(nanoTime.getAsLong());
        if (reopen) {
            queueLog.warn(
                    "RabbitMQ took messages of " + open.channel() + " back and delivered them again, as it does"
                            + " when nodes of its cluster lose contact. The channel is opened again, so that no task runs twice");
        }
        return reopen;
    }

    /** All that earlier channels of the partition left has come. */
    void caughtUp(Partition partition) {
        history(partition).caughtUp();
    }

    private PartitionHistory history(Partition partition) {
        return histories.computeIfAbsent(
                partition, p -> new PartitionHistory(new RateLimit(MAX_TAKEN_BACK, PERIOD_NANOS)));
    }

    /** Whether the partition's channel must be opened again now. */
    boolean isDue(OpenPartition open) {
        long now = nanoTime.getAsLong();
        return mustFetchAgain(open.channel(), now) || drainsInVain(open, now) || isUnackedTooLong(open.channel(), now);
    }

    // ---- messages that did not fit

    /**
     * Whether messages of the channel did not fit into memory, and there is room for them now. All others of the channel are
     * acked by then, or have had their time. So a message whose key has no room in the store keeps back nothing for long.
     */
    private boolean mustFetchAgain(ConsumerChannel channel, long now) {
        if (channel.letGo() == 0) {
            return false;
        }
        fitting = Math.max(1, letGo ? Math.min(fitting, channel.mostHeld()) : channel.mostHeld());
        letGo = true;
        letGoAt = now;
        if (warnings.tryTake(now)) {
            queueLog.warn("the messages of " + channel + " do not fit into tandem.executor.memory (" + memory
                    + " are taken). Some are left to the broker and delivered again later, which is slow. Raise that"
                    + " setting, or lower 'prefetch' to " + fitting + " or less");
        }
        boolean waitedEnough = channel.isDrained() || now - channel.letGoSince() >= DRAIN_NANOS;
        return waitedEnough && memory.free() >= memory.bytes() / MIN_FREE_SHARE;
    }

    /**
     * Returns the prefetch of a new channel. An unordered queue whose messages did not fit has a smaller one for a minute. An
     * ordered queue keeps its own: a quorum queue appends what a channel returns to what was returned before it, so a
     * channel that could not take all of that would change its order.
     */
    int prefetch() {
        letGo &= nanoTime.getAsLong() - letGoAt < PERIOD_NANOS;
        return letGo && !settings.ordered() ? Math.min(fitting, settings.prefetch()) : settings.prefetch();
    }

    // ---- messages that hold back the smaller prefetch

    /** Whether the channel must go on to its next prefetch window now. */
    boolean isNarrowDue(OpenPartition open) {
        long now = nanoTime.getAsLong();
        PartitionHistory history = history(open.partition);
        PartitionHistory.FailedDrain failed = history.failedDrain();
        if (failed != null && now - failed.retryAt() < 0 || !open.isNarrowDue(now)) {
            return false;
        }
        if (open.channel().window() == ConsumerChannel.Window.DRAINING) {
            history.drained();
        }
        return true;
    }

    /** Whether messages of the channel stay unacked, though nothing more is delivered until they are acked. */
    private boolean drainsInVain(OpenPartition open, long now) {
        if (!open.hasDrainedFor(DRAIN_NANOS, now)) {
            return false;
        }
        PartitionHistory history = history(open.partition);
        PartitionHistory.FailedDrain before = history.failedDrain();
        int times = before == null ? 0 : Math.min(MAX_DOUBLINGS, before.times() + 1);
        history.drainFailed(new PartitionHistory.FailedDrain(times, now + (PERIOD_NANOS << times)));
        queueLog.warn("messages of " + open.channel() + " are still unacked after " + DRAIN_NANOS / 1_000_000_000
                + " s, so its prefetch stays larger than " + settings.prefetch() + " for now");
        return true;
    }

    // ---- messages that the broker waits for

    private boolean isUnackedTooLong(ConsumerChannel channel, long now) {
        long oldest = channel.oldestUnacked();
        if (oldest == UnackedMessages.NONE || now - oldest < maxUnackedNanos) {
            return false;
        }
        if (timeoutWarnings.tryTake(now)) {
            queueLog.warn("messages of " + channel + " have been unacked for " + (now - oldest) / 1_000_000_000
                    + " s. They are given back to RabbitMQ and delivered again, since it closes the channel at its"
                    + " consumer_timeout of " + settings.consumerTimeout().toSeconds()
                    + " s. Lower the queue's prefetch,"
                    + " which is " + settings.prefetch() + ", or raise its concurrency");
        }
        return true;
    }
}
