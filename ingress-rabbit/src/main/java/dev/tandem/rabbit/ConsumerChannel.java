package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel that consumes one partition. Created before the channel is opened; a later channel of the same partition is
 * a new object. The client's reader thread adds deliveries, the loop's thread takes them. The broker bounds their
 * number by the prefetch.
 */
final class ConsumerChannel implements Consumer {

    /** Tells the queue's loop. Called by the client's reader thread. */
    interface Listener {
        /** Deliveries have arrived. Must be cheap, since it is called often. */
        void arrived();

        /** The channel was closed or its consumer was cancelled, and not by us. */
        void ended(ConsumerChannel channel, @Nullable ShutdownSignalException signal);
    }

    /** The prefetch at present. */
    enum Window {
        /** A larger one than is to be kept, to begin with. */
        WIDE,
        /** None: nothing is delivered until what came with the larger one is acked. */
        DRAINING,
        /** The one to be kept. */
        KEPT
    }

    /** A sequence holds the number of the channel above these bits, and the delivery tag in them. */
    private static final int TAG_BITS = 40;

    private static final long TAG_MASK = (1L << TAG_BITS) - 1;
    private static final long MAX_NUMBER = Long.MAX_VALUE >>> TAG_BITS;

    private static final int MAX_ACK_BATCH = 1_024;
    private static final long PREFIX_WAIT_NANOS = 4_000_000;
    private static final long SINGLES_WAIT_NANOS = 20_000_000;
    private static final long RECENT_NANOS = 1_000_000_000;

    final Partition partition;
    final String queue;

    private final long number;
    private final MessageDecoder decoder;
    private final Listener listener;
    private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
    private final AckBatcher acks;
    private volatile int recentAcks;
    private long countingSince;

    private volatile @Nullable Channel channel;
    private volatile boolean paused;
    private volatile boolean closed;
    /** Written by the client's reader thread only. */
    private final AtomicLong received = new AtomicLong();

    private volatile Window window = Window.KEPT;
    /** Used by the thread that makes broker calls only. */
    private String consumerTag = "";

    private volatile boolean opened;
    private volatile boolean onlyConsumer;

    /** Written by the loop's thread only. */
    private long taken;

    private boolean ackFailed;

    private final int prefetch;
    private final MemoryBudget.Account memory;
    private final LongSupplier nanoTime;
    private final UnackedMessages unacked = new UnackedMessages();
    private volatile boolean countsAllReturns;

    /** How many deliveries did not fit into memory. Written by the client's reader thread only. */
    private volatile int letGo;

    /** When the first one did not fit. Written before {@link #letGo}. */
    private long letGoSince;

    /** Written by the loop's thread only. */
    private long settled;

    private int mostHeld;

    /**
     * @param number different for each channel of this process
     * @param memory of this channel alone, which closes it
     * @param nanoTime elapsed time in nanoseconds
     */
    ConsumerChannel(
            Partition partition,
            String queue,
            long number,
            int prefetch,
            MessageDecoder decoder,
            MemoryBudget.Account memory,
            LongSupplier nanoTime,
            Listener listener) {
        this.partition = partition;
        this.queue = queue;
        this.number = number & MAX_NUMBER;
        this.decoder = decoder;
        this.memory = memory;
        this.nanoTime = nanoTime;
        this.prefetch = prefetch;
        this.listener = listener;
        int ackBatch = Math.max(1, Math.min(MAX_ACK_BATCH, prefetch / 4));
        this.acks = new AckBatcher(ackBatch, PREFIX_WAIT_NANOS, SINGLES_WAIT_NANOS);
    }

    // ---- called by the thread that makes broker calls

    /** Sets the channel that will consume. */
    void attach(Channel on) {
        countsAllReturns =
                BrokerProduct.of(on.getConnection().getServerProperties()).isOlderThan(4, 0);
        channel = on;
    }

    /**
     * Starts to consume.
     *
     * @param alone whether the queue had no other consumer
     * @param atFirst the prefetch to begin with, at least the one to be kept
     */
    void consume(boolean alone, int atFirst) throws IOException {
        window = atFirst > prefetch ? Window.WIDE : Window.KEPT;
        consumeWith(atFirst);
        onlyConsumer = alone;
        opened = true;
    }

    private void consumeWith(int messages) throws IOException {
        Channel on = Objects.requireNonNull(channel);
        on.basicQos(messages);
        consumerTag = on.basicConsume(queue, false, this);
    }

    /** Stops to consume, if it began with a wider prefetch. What was delivered stays unacked here. */
    void endWideWindow() throws IOException {
        Objects.requireNonNull(channel).basicCancel(consumerTag);
        window = Window.DRAINING;
    }

    /** Consumes with the prefetch to be kept, once all that came with the wider one is acked. */
    void beginKeptWindow() throws IOException {
        consumeWith(prefetch);
        window = Window.KEPT;
    }

    Window window() {
        return window;
    }

    /** Whether it has started to consume. */
    boolean wasOpened() {
        return opened;
    }

    @Nullable
    Channel channel() {
        return channel;
    }

    /** Whether the loop has closed it. */
    boolean isClosed() {
        return closed;
    }

    /** Returns the number of deliveries so far. Exact if read after an answer on the channel. */
    long received() {
        return received.get();
    }

    /** Whether this is known to be the queue's single active consumer. */
    boolean isActive() {
        return onlyConsumer || received.get() > 0;
    }

    /** Returns the number of recently sent acks, about as many as the broker may not have processed yet. */
    int recentAcks() {
        return recentAcks;
    }

    // ---- called by the loop's thread

    void close() {
        closed = true;
        memory.close();
        arrivals.clear();
    }

    void setPaused(boolean wanted) {
        paused = wanted;
    }

    /** Takes deliveries in their order; none while paused. */
    List<Arrival> take(int max) {
        if (paused || closed) {
            return List.of();
        }
        Arrival next = arrivals.poll();
        if (next == null) {
            return List.of();
        }
        List<Arrival> batch = new ArrayList<>();
        while (next != null) {
            batch.add(next);
            Delivery delivery = next.delivery();
            unacked.put(delivery.sequence() & TAG_MASK, delivery.task().weight(), next.arrivedAt());
            next = batch.size() < max ? arrivals.poll() : null;
        }
        taken += batch.size();
        mostHeld = Math.max(mostHeld, (int) (received.get() - letGo - settled));
        return batch;
    }

    /** Returns how many deliveries did not fit into memory and were forgotten. The broker still has them. */
    int letGo() {
        return letGo;
    }

    /** Returns how many deliveries were in memory at once, at most, or a few more. */
    int mostHeld() {
        return mostHeld;
    }

    /** Whether everything that fitted into memory is settled. */
    boolean isDrained() {
        return arrivals.isEmpty() && unacked.isEmpty();
    }

    /** Returns when the message that has been unacked longest arrived; {@link UnackedMessages#NONE} if none is unacked. */
    long oldestUnacked() {
        long oldest = unacked.oldest();
        if (oldest == UnackedMessages.NONE) {
            Arrival waiting = arrivals.peek();
            oldest = waiting == null ? UnackedMessages.NONE : waiting.arrivedAt();
        }
        return oldest == UnackedMessages.NONE && letGo > 0 ? letGoSince : oldest;
    }

    /** Returns when the first delivery did not fit into memory. Valid if any did not. */
    long letGoSince() {
        return letGoSince;
    }

    /** Returns the number of deliveries taken so far. */
    long taken() {
        return taken;
    }

    /** Marks a delivery as to be acked. Ignores deliveries of other channels. */
    void settled(long sequence, long nowNanos) {
        if (sequence >>> TAG_BITS == number) {
            int size = unacked.take(sequence & TAG_MASK);
            if (size > 0) {
                memory.give(size);
                settled++;
            }
            acks.add(sequence & TAG_MASK, nowNanos);
        }
    }

    /**
     * Sends the acks that are due.
     *
     * @param all whether to send those too that are not due yet
     * @throws IOException once, if the channel does not accept acks
     */
    void flushAcks(boolean all, long nowNanos) throws IOException {
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
        boolean afterPause = nowNanos - countingSince > RECENT_NANOS;
        countingSince = afterPause ? nowNanos : countingSince;
        int sent = afterPause ? 0 : recentAcks;
        recentAcks = sent + 1;
    }

    long nanosToFlush(long nowNanos) {
        return ackFailed ? Long.MAX_VALUE : acks.nanosToFlush(nowNanos);
    }

    // ---- called by the client's reader thread

    @Override
    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
        if (closed) {
            return;
        }
        long sequence = number << TAG_BITS | envelope.getDeliveryTag();
        Delivery delivery =
                decoder.delivery(sequence, envelope.getRoutingKey(), envelope.isRedeliver(), properties, body);
        // Once one did not fit, no later one may go before it.
        if (letGo == 0 && memory.tryTake(delivery.task().weight())) {
            arrivals.add(new Arrival(delivery, nanoTime.getAsLong(), returns(properties)));
        } else {
            letGoSince = letGo == 0 ? nanoTime.getAsLong() : letGoSince;
            letGo++;
        }
        received.lazySet(received.get() + 1);
        if (!paused) {
            listener.arrived();
        }
    }

    private long returns(BasicProperties properties) {
        Map<String, Object> headers = properties.getHeaders();
        return headers == null ? Arrival.UNKNOWN : Arrival.returns(headers, countsAllReturns);
    }

    /** Called if the queue was deleted, its node went down, or (RabbitMQ 4.3) an ack came too late. */
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
