package dev.tandem.rabbit;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A partition that the queue's loop has opened: its present channel, and whether that is caught up. Used by the loop's
 * thread only.
 */
final class OpenPartition {

    private static final long FIRST_COUNT_NANOS = 200_000_000L;
    private static final long MAX_COUNT_NANOS = 10_000_000_000L;
    private static final long UNKNOWN = -1;
    private static final int MAX_REDELIVERED = 100_000;

    final Partition partition;
    private final Supplier<ConsumerChannel> newChannel;
    private ConsumerChannel channel;
    private boolean paused;
    private String lastOpenFailure = "";
    private int openFailures;

    private boolean caughtUp;
    /** The number of deliveries after which it is caught up. */
    private long caughtUpAfter = UNKNOWN;

    /** How often named messages that were redelivered on this channel had come back before, until it is caught up. */
    private final Map<String, Long> redelivered = new HashMap<>();

    /** The window whose end the broker thread was told of. */
    private ConsumerChannel.Window narrowedFrom = ConsumerChannel.Window.KEPT;

    private long drainingSince;

    private long lastCountAt;
    private long countInterval;

    /** @param newChannel returns another channel at each call */
    OpenPartition(Partition partition, Supplier<ConsumerChannel> newChannel) {
        this.partition = partition;
        this.newChannel = newChannel;
        this.channel = newChannel.get();
    }

    ConsumerChannel channel() {
        return channel;
    }

    /** Replaces the channel by a new one. */
    ConsumerChannel renewChannel() {
        channel = newChannel.get();
        channel.setPaused(paused);
        caughtUp = false;
        caughtUpAfter = UNKNOWN;
        countInterval = 0;
        narrowedFrom = ConsumerChannel.Window.KEPT;
        redelivered.clear();
        return channel;
    }

    /**
     * Whether the channel must go on to its next prefetch window now, of which the broker thread must be told. The first one
     * ends when all that earlier channels left has come, the second when everything is acked.
     */
    boolean isNarrowDue(long nowNanos) {
        ConsumerChannel.Window window = channel.window();
        boolean due = window != narrowedFrom
                && switch (window) {
                    case WIDE -> caughtUp;
                    case DRAINING -> channel.isDrained() && channel.letGo() == 0;
                    case KEPT -> false;
                };
        if (due) {
            narrowedFrom = window;
            drainingSince = nowNanos;
        }
        return due;
    }

    /** Whether it has waited for so long until everything that came with the first prefetch is acked. */
    boolean hasDrainedFor(long nanos, long nowNanos) {
        return channel.window() == ConsumerChannel.Window.DRAINING && nowNanos - drainingSince >= nanos;
    }

    void setPaused(boolean wanted) {
        paused = wanted;
        channel.setPaused(wanted);
    }

    /**
     * Counts that the channel could not be opened.
     *
     * @return whether the reason differs from the last one
     */
    boolean openFailed(String reason) {
        openFailures++;
        boolean differs = !reason.equals(lastOpenFailure);
        lastOpenFailure = reason;
        return differs;
    }

    int openFailures() {
        return openFailures;
    }

    /**
     * Looks at the deliveries taken last. One that is not a redelivery proves that the partition is caught up, because
     * what earlier owners left comes first: a classic queue puts returned messages back in their places, a quorum queue
     * with a delivery limit puts them before all others.
     */
    void took(List<Arrival> batch) {
        if (!caughtUp && batch.stream().anyMatch(arrival -> !arrival.delivery().redelivered())) {
            leftoverCounted(channel.taken());
        }
    }

    /**
     * Whether a delivery of the batch was on this channel before. A sub-queue has no other consumer, and the channel has
     * had all that earlier ones left. So the broker took messages back, which a quorum queue does if the node of its
     * leader loses contact with the node of the channel. The channel is not told, and its acks of such messages count for
     * nothing. Ask before {@link #took}.
     */
    boolean isTakenBack(List<Arrival> batch, PartitionHistory history) {
        boolean hadAll = caughtUp || caughtUpAfter != UNKNOWN && channel.taken() - batch.size() >= caughtUpAfter;
        boolean takenBack = false;
        for (Arrival arrival : batch) {
            Delivery delivery = arrival.delivery();
            takenBack |= delivery.redelivered() && (hadAll || wasDelivered(arrival, history));
            hadAll |= !delivery.redelivered();
        }
        return takenBack;
    }

    /**
     * Whether this message was redelivered before on this channel, which is not caught up yet. It may also be a second
     * message with the same id and content. A message that was taken back has come back once more than the first time. A
     * second message was behind the first one on every channel, so it has not. If the broker does not count, the first
     * such message counts as taken back, and the same one on the next channel as a second message.
     */
    private boolean wasDelivered(Arrival arrival, PartitionHistory history) {
        String identity = arrival.delivery().identity();
        if (identity == null || !MessageIdentity.isNamed(identity) || redelivered.size() >= MAX_REDELIVERED) {
            return false;
        }
        Long before = redelivered.put(identity, arrival.returns());
        if (before == null) {
            return false;
        }
        boolean counted = before != Arrival.UNKNOWN && arrival.returns() != Arrival.UNKNOWN;
        return counted ? arrival.returns() > before : history.addTwin(identity);
    }

    /**
     * Whether to ask the queue now how many messages of earlier owners are still to come. The answer is only valid once
     * our consumer is the active one, and the only one, so the question is repeated.
     */
    boolean isCountDue(long nowNanos) {
        if (caughtUp || !channel.wasOpened() || (countInterval > 0 && nowNanos - lastCountAt < countInterval)) {
            return false;
        }
        lastCountAt = nowNanos;
        countInterval = Math.max(FIRST_COUNT_NANOS, Math.min(MAX_COUNT_NANOS, countInterval * 2));
        return true;
    }

    /**
     * Sets the number of deliveries after which the partition is caught up, at most. A message may be counted twice if
     * it arrives between the two round trips of a count.
     */
    void leftoverCounted(long deliveries) {
        caughtUpAfter = caughtUpAfter == UNKNOWN ? deliveries : Math.min(caughtUpAfter, deliveries);
    }

    /** Returns true once per channel, when all that earlier owners left has been taken. */
    boolean becomesCaughtUp() {
        boolean becomes = !caughtUp && caughtUpAfter != UNKNOWN && channel.taken() >= caughtUpAfter;
        caughtUp |= becomes;
        if (becomes) {
            redelivered.clear();
        }
        return becomes;
    }
}
