package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One consuming channel of one partition, from the wish to open it to its end; a later one of the same partition is
 * another object. The client's reader puts in, the loop takes out; what waits between them is bounded by the prefetch,
 * which the broker keeps.
 */
final class Intake implements Consumer {

    /** What the loop must hear, from any thread. */
    interface Listener {
        /** There are deliveries. Cheap when called often. */
        void arrived();

        /** The channel is dead, or gets nothing any more, without our doing. */
        void ended(Intake intake, @Nullable ShutdownSignalException signal);
    }

    private static final int TAG_BITS = 40;
    private static final long TAG_MASK = (1L << TAG_BITS) - 1;
    private static final long MAX_NUMBER = Long.MAX_VALUE >>> TAG_BITS;

    private static final int MAX_ACK_BATCH = 1_024;
    private static final long PREFIX_NANOS = 4_000_000;
    private static final long SINGLES_NANOS = 20_000_000;
    private static final long RECENT_NANOS = 1_000_000_000;

    final Partition partition;
    final String queue;

    private final long number;
    private final MessageCodec codec;
    private final Listener listener;
    private final ConcurrentLinkedQueue<Delivery> arrivals = new ConcurrentLinkedQueue<>();
    private final AckWindow acks;
    private volatile int recentAcks;
    private long recentSince;

    private volatile @Nullable Channel channel;
    private volatile boolean paused;
    private volatile boolean closed;
    /** Counted by the reader alone. */
    private final AtomicLong received = new AtomicLong();

    private volatile boolean opened;
    private volatile boolean first;

    /** Counted by the loop. */
    private long taken;

    private boolean ackFailed;

    /** @param number another one for each channel of this process */
    Intake(Partition partition, String queue, long number, int prefetch, MessageCodec codec, Listener listener) {
        this.partition = partition;
        this.queue = queue;
        this.number = number & MAX_NUMBER;
        this.codec = codec;
        this.listener = listener;
        this.acks = new AckWindow(Math.max(1, Math.min(MAX_ACK_BATCH, prefetch / 4)), PREFIX_NANOS, SINGLES_NANOS);
    }

    // ---- whoever opens it

    /** Will consume on this channel. */
    void begin(Channel on) {
        channel = on;
    }

    /**
     * Consumes on its channel.
     *
     * @param alone the queue had no other consumer
     */
    void consume(int prefetch, boolean alone) throws IOException {
        Channel on = Objects.requireNonNull(channel);
        on.basicQos(prefetch);
        on.basicConsume(queue, false, this);
        first = alone;
        opened = true;
    }

    /** Whether it consumes, or did. */
    boolean wasOpened() {
        return opened;
    }

    @Nullable
    Channel channel() {
        return channel;
    }

    /** Nobody wants it any more. */
    boolean isClosed() {
        return closed;
    }

    /** Deliveries so far; exact when read after an answer on the channel. */
    long received() {
        return received.get();
    }

    /** Whether the queue's single active consumer is this one, for sure. */
    boolean isActive() {
        return first || received.get() > 0;
    }

    // ---- the loop

    void close() {
        closed = true;
        arrivals.clear();
    }

    void pause(boolean wanted) {
        paused = wanted;
    }

    /** What came, in order; nothing while paused. */
    List<Delivery> take(int most) {
        if (paused || closed) {
            return List.of();
        }
        Delivery next = arrivals.poll();
        if (next == null) {
            return List.of();
        }
        List<Delivery> batch = new ArrayList<>();
        while (next != null) {
            batch.add(next);
            next = batch.size() < most ? arrivals.poll() : null;
        }
        taken += batch.size();
        return batch;
    }

    long taken() {
        return taken;
    }

    /** A delivery is settled; one of another channel is ignored. */
    void settled(long sequence, long nowNanos) {
        if (sequence >>> TAG_BITS == number) {
            acks.add(sequence & TAG_MASK, nowNanos);
        }
    }

    /** Sends the acks that are due, or all. @throws IOException once, if the channel does not take them */
    void flush(boolean all, long nowNanos) throws IOException {
        Channel on = channel;
        if (on == null || ackFailed) {
            return;
        }
        try {
            acks.flush(all, nowNanos, (tag, multiple) -> {
                on.basicAck(tag, multiple);
                countAck(nowNanos);
            });
        } catch (ShutdownSignalException e) {
            ackFailed = true;
            throw new IOException(e);
        } catch (IOException e) {
            ackFailed = true;
            throw e;
        }
    }

    private void countAck(long nowNanos) {
        boolean anew = nowNanos - recentSince > RECENT_NANOS;
        recentSince = anew ? nowNanos : recentSince;
        int sent = anew ? 0 : recentAcks;
        recentAcks = sent + 1;
    }

    /** How many acks were sent lately, by any thread: about as many as the broker may not have got to yet. */
    int recentAcks() {
        return recentAcks;
    }

    long nanosToFlush(long nowNanos) {
        return ackFailed ? Long.MAX_VALUE : acks.nanosToFlush(nowNanos);
    }

    // ---- the client's reader

    @Override
    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
        if (closed) {
            return;
        }
        long sequence = number << TAG_BITS | envelope.getDeliveryTag();
        arrivals.add(codec.delivery(sequence, envelope.getRoutingKey(), envelope.isRedeliver(), properties, body));
        received.lazySet(received.get() + 1);
        if (!paused) {
            listener.arrived();
        }
    }

    /** The queue was deleted, its node went down, or (RabbitMQ 4.3) an ack came too late. */
    @Override
    public void handleCancel(String tag) {
        listener.ended(this, null);
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException signal) {
        listener.ended(this, signal);
    }

    @Override
    public void handleConsumeOk(String tag) {}

    @Override
    public void handleCancelOk(String tag) {}

    @Override
    public void handleRecoverOk(String tag) {}

    @Override
    public String toString() {
        return partition + " on '" + queue + "'";
    }
}
