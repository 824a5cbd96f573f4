package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Closes consuming channels on the broker thread, without losing acks. If RabbitMQ's queue is slow, its channel holds
 * acks back, and they are lost with the channel; no answer tells of them. So a channel stays open for a moment after
 * its last acks, and for a round trip, which proves that the acks before it are in the queue's log.
 *
 * <p>A consumer is never cancelled before its channel is closed; see {@link RabbitSource}.
 */
final class ChannelCloser {

    private static final int ABORT_MILLIS = 2_000;
    private static final long MIN_ACK_WAIT_MILLIS = 100;
    private static final long MAX_ACK_WAIT_MILLIS = 700;
    /** A channel with many recent acks stays open longer, by a millisecond for this many acks. */
    private static final int ACKS_PER_MILLI = 4;

    /** How many times longer than a round trip the acks may take. */
    private static final long ROUND_TRIP_FACTOR = 5;

    private final BrokerThread thread;
    private final AtomicInteger closing = new AtomicInteger();

    ChannelCloser(BrokerThread thread) {
        this.thread = thread;
    }

    /** Whether channels are being closed. */
    boolean isBusy() {
        return closing.get() > 0;
    }

    /** Closes the channel, so that its unacked messages return to the queue, and then runs the action. */
    void close(ConsumerChannel consumer, Runnable afterwards) {
        closing.incrementAndGet();
        Runnable done = () -> {
            closing.decrementAndGet();
            afterwards.run();
        };
        thread.later(0, () -> {
            Channel channel = consumer.channel();
            if (channel == null || !channel.isOpen()) {
                done.run();
                return;
            }
            thread.later(ackWaitMillis(consumer), () -> {
                long startedAt = System.nanoTime();
                roundTrip(consumer, channel);
                long tookMillis = (System.nanoTime() - startedAt) / 1_000_000;
                // A broker that answers slowly is slow with acks too.
                thread.later(Math.min(MAX_ACK_WAIT_MILLIS, ROUND_TRIP_FACTOR * tookMillis), () -> {
                    roundTrip(consumer, channel);
                    closeNow(channel);
                    done.run();
                });
            });
        });
    }

    private static long ackWaitMillis(ConsumerChannel consumer) {
        return Math.min(MAX_ACK_WAIT_MILLIS, MIN_ACK_WAIT_MILLIS + consumer.recentAcks() / ACKS_PER_MILLI);
    }

    private static void roundTrip(ConsumerChannel consumer, Channel channel) {
        try {
            DeclareOk unused = channel.queueDeclarePassive(consumer.queue);
        } catch (IOException | RuntimeException e) {
            // The channel is broken, so it needs no more waiting.
        }
    }

    /** Closes the channel at once. Aborts its connection if the broker does not answer. */
    static void closeNow(@Nullable Channel channel) {
        try {
            if (channel != null && channel.isOpen()) {
                channel.close();
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            // If the broker hangs, its messages return only when the connection ends.
            if (!BrokerErrors.isClosed(e)) {
                abort(channel.getConnection());
            }
        }
    }

    static void abort(@Nullable Connection connection) {
        if (connection != null) {
            connection.abort(ABORT_MILLIS);
        }
    }
}
