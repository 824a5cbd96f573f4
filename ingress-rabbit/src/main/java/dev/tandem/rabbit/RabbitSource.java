package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Delivery;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the tasks of a queue from RabbitMQ, or from another AMQP 0-9-1 broker if it has {@code ordering: none}.
 *
 * <p>Its partitions are owned by lease ({@link #leasable}). The partitions of an ordered queue are its sub-queues.
 * The partitions of an unordered queue are numbers, each with a channel of its own that competes for the messages of
 * the one queue. An open partition has one consuming channel. The prefetch limits its unacked messages; a paused partition
 * takes no deliveries from its channel.
 *
 * <p>To give a partition up, its channel is closed without cancelling its consumer first. After a cancel, the broker
 * would deliver later messages to the next owner while this one still holds earlier ones.
 *
 * <p>The loop's thread makes all decisions and sends the acks. A second thread makes the calls that wait for the
 * broker. The client's reader thread only adds deliveries to queues. A lost connection is opened again; its partitions
 * are {@linkplain Source.Events#lost lost} and may be leased again afterwards.
 */
public final class RabbitSource implements Source {

    private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);

    private static final int MAX_DELIVERIES_PER_TURN = 512;

    private final RabbitSettings settings;
    private final RabbitHealth health;
    private final BlockingBrokerCalls calls;
    private final LoopWakeup wakeup = new LoopWakeup();
    private final SourceMailbox mailbox = new SourceMailbox(wakeup);

    // The fields below are used by the loop's thread only.
    private final SourceConnection connection;
    private final Map<Partition, OpenPartition> openPartitions = new LinkedHashMap<>();
    private final ArrayDeque<Consumer<Events>> pendingEvents = new ArrayDeque<>();
    private final ChannelReopening reopening;
    private final ConsumerChannels channels;
    private final BrokerReports brokerReports = new BrokerReports();
    private List<OpenPartition> turnOrder = List.of();
    private int turn;
    private boolean closed;

    /** Creates a source with a {@linkplain MemoryBudget#ofHeap budget of its own}. */
    public RabbitSource(RabbitSettings settings) {
        this(settings, MemoryBudget.ofHeap());
    }

    /**
     * Creates a source and starts to connect in the background.
     *
     * @param memory bounds the size of unacked messages, together with those of all other sources that have it
     */
    public RabbitSource(RabbitSettings settings, MemoryBudget memory) {
        this(settings, memory, System::nanoTime);
    }

    /** @param nanoTime elapsed time, by which messages are unacked for too long */
    RabbitSource(RabbitSettings settings, MemoryBudget memory, LongSupplier nanoTime) {
        this.settings = settings;
        this.health = new RabbitHealth(settings, InstantSource.system());
        this.reopening = new ChannelReopening(settings, memory, health, nanoTime);
        this.channels = new ConsumerChannels(settings, memory, nanoTime, reopening, mailbox);
        this.calls = new BlockingBrokerCalls(settings, health, mailbox, RabbitThreads.named(settings.queue()));
        this.connection = new SourceConnection(settings, health, calls);
        calls.connect(0);
    }

    /** Returns the state of the connection to the broker. May be called by any thread. */
    public RabbitStatus status() {
        return health.status();
    }

    @Override
    public Kind kind() {
        return Kind.QUEUE;
    }

    @Override
    public Collection<Partition> leasable() {
        return connection.partitions();
    }

    @Override
    public long maxUnackedMillis() {
        return settings.maxUnacked().toMillis();
    }

    @Override
    public Facts leaseFacts() {
        return Facts.ofQueue(connection.sourceId());
    }

    // ---- turns of the loop

    @Override
    public void poll(long maxMillis, Events events) {
        boolean woken = wakeup.consume();
        boolean busy = turn(events);
        if (!busy && !woken && maxMillis > 0 && !closed) {
            wakeup.await(Math.min(maxMillis * 1_000_000, nanosToFlush()));
            turn(events);
        }
    }

    @Override
    public void wakeup() {
        wakeup.wake();
    }

    /** Handles what has happened and delivers what has arrived. Returns whether there was anything. */
    private boolean turn(Events events) {
        boolean busy = mailbox.handleAll(brokerReports, events);
        for (Consumer<Events> event = pendingEvents.poll(); event != null; event = pendingEvents.poll()) {
            busy = true;
            event.accept(events);
        }
        List<OpenPartition> order = turnOrder;
        for (int i = 0; i < order.size(); i++) {
            busy |= deliver(order.get((turn + i) % order.size()), events);
        }
        turn++;
        return busy;
    }

    private boolean deliver(OpenPartition open, Events events) {
        ConsumerChannel channel = open.channel();
        if (openPartitions.get(open.partition) != open) {
            return false; // It was closed during this turn.
        }
        List<Arrival> batch = channel.take(MAX_DELIVERIES_PER_TURN);
        if (reopening.wasTakenBack(open, batch)) {
            giveUp(open, events);
            return true;
        }
        if (!batch.isEmpty()) {
            List<Delivery> deliveries = batch.stream().map(Arrival::delivery).toList();
            events.delivered(open.partition, deliveries, -1);
            open.took(batch);
        }
        if (settings.ordered()) {
            catchUp(open, events);
        }
        flushAcks(channel, false);
        if (reopening.isDue(open) && openPartitions.get(open.partition) == open) {
            giveUp(open, events);
        }
        return !batch.isEmpty();
    }

    /** Has the broker deliver all unacked messages of a partition again, once the partition is leased again. */
    private void giveUp(OpenPartition open, Events events) {
        close(open.partition);
        events.lost(List.of(open.partition));
    }

    private void catchUp(OpenPartition open, Events events) {
        if (open.isCountDue(System.nanoTime())) {
            calls.countLeftover(open.channel());
        }
        if (open.becomesCaughtUp()) {
            reopening.caughtUp(open.partition);
            events.caughtUp(open.partition);
        }
        if (reopening.isNarrowDue(open)) {
            flushAcks(open.channel(), true);
            calls.narrow(open.channel());
        }
    }

    private long nanosToFlush() {
        long now = System.nanoTime();
        return turnOrder.stream()
                .mapToLong(open -> open.channel().nanosToFlush(now))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    // ---- requests of the loop

    @Override
    public void open(Partition partition) {
        if (!connection.partitions().contains(partition)) {
            pendingEvents.add(events -> events.lost(List.of(partition)));
            return;
        }
        String queue = connection.queueOf(partition);
        OpenPartition open = new OpenPartition(partition, () -> channels.create(partition, queue));
        OpenPartition earlier = openPartitions.put(partition, open);
        if (earlier != null) {
            closeChannel(earlier);
        }
        updateTurnOrder();
        calls.open(open.channel(), 0);
    }

    @Override
    public void pause(Partition partition) {
        ifOpen(partition, open -> open.setPaused(true));
    }

    @Override
    public void resume(Partition partition) {
        ifOpen(partition, open -> open.setPaused(false));
    }

    private void ifOpen(Partition partition, Consumer<OpenPartition> action) {
        OpenPartition open = openPartitions.get(partition);
        if (open != null) {
            action.accept(open);
        }
    }

    @Override
    public void rewind(Partition partition) {
        ifOpen(partition, open -> {
            ConsumerChannel old = open.channel();
            flushAcks(old, true);
            old.close();
            calls.replace(old, open.renewChannel());
        });
    }

    /** @throws IllegalStateException always, since only the offsets of a log are committed */
    @Override
    public void commit(Partition partition, long upTo) {
        throw new IllegalStateException("The messages of " + partition + " are acked one by one");
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        ifOpen(partition, open -> {
            long now = System.nanoTime();
            sequences.forEach(sequence -> open.channel().settled(sequence, now));
            flushAcks(open.channel(), false);
        });
    }

    private void flushAcks(ConsumerChannel channel, boolean all) {
        try {
            channel.flushAcks(all, System.nanoTime());
        } catch (IOException e) {
            // The end of the channel is reported separately, and the messages will be redelivered.
            log.debug("{}: could not send acks: {}", channel, BrokerErrors.explain(e));
        }
    }

    @Override
    public void confirm(Partition partition) {
        OpenPartition open = openPartitions.get(partition);
        if (open != null && open.channel().wasOpened()) {
            flushAcks(open.channel(), true);
            calls.confirm(open.channel());
        } else if (connection.isOpen()) {
            // Nothing was consumed yet, so the broker cannot have given messages of ours to others.
            pendingEvents.add(events -> events.confirmed(partition, leaseFacts()));
        } else {
            pendingEvents.add(events -> events.lost(List.of(partition)));
        }
    }

    @Override
    public void close(Partition partition) {
        OpenPartition open = openPartitions.remove(partition);
        if (open != null) {
            updateTurnOrder();
            closeChannel(open);
        }
    }

    private void closeChannel(OpenPartition open) {
        flushAcks(open.channel(), true);
        open.channel().close();
        calls.close(open.channel());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        openPartitions.values().forEach(this::closeChannel);
        openPartitions.clear();
        updateTurnOrder();
        calls.shutdown();
        connection.close();
        health.closed();
    }

    private void updateTurnOrder() {
        turnOrder = List.copyOf(openPartitions.values());
    }

    /** Returns the consuming channel, for tests; null if there is none yet. */
    @Nullable
    Channel consumingChannel(Partition partition) {
        OpenPartition open = openPartitions.get(partition);
        return open != null && open.channel().wasOpened() ? open.channel().channel() : null;
    }

    /** Handles reports of other threads on the loop's thread. */
    private final class BrokerReports implements SourceMailbox.Handler {

        @Override
        public void connected(Connection opened, BrokerProduct broker, List<String> queues) {
            connection.connected(opened, broker, queues);
        }

        @Override
        public void connectFailed(Exception why) {
            connection.connectFailed(why);
        }

        @Override
        public void disconnected(Connection ended, ShutdownSignalException signal, Events events) {
            if (connection.disconnected(ended, signal)) {
                List<Partition> lost = List.copyOf(openPartitions.keySet());
                openPartitions.values().forEach(open -> open.channel().close());
                openPartitions.clear();
                updateTurnOrder();
                if (!lost.isEmpty()) {
                    events.lost(lost);
                }
            }
        }

        /** Opens the channel again if nothing was delivered on it yet. Otherwise its partition is lost. */
        @Override
        public void channelFailed(ConsumerChannel channel, Exception why, Events events) {
            if (channel.wasOpened()) {
                channelEnded(channel, why, events);
                return;
            }
            OpenPartition open = withChannel(channel);
            if (open == null || !connection.isOpen()) {
                return;
            }
            String reason = BrokerErrors.explain(why);
            if (open.openFailed(reason)) {
                health.warn("cannot open the channel for " + channel + ": " + reason
                        + ". Its tasks do not arrive; retrying until that works");
            }
            calls.open(open.renewChannel(), SourceConnection.backoffMillis(open.openFailures()));
        }

        @Override
        public void channelEnded(ConsumerChannel channel, @Nullable Throwable why, Events events) {
            OpenPartition open = withChannel(channel);
            if (open == null || BrokerErrors.isConnectionClosed(why)) {
                return; // The channel is not in use any more, or the end of the connection is reported separately.
            }
            health.warn("the channel for " + channel + " ended, so its unacked messages will be redelivered: "
                    + BrokerErrors.explainChannelEnd(why, settings.prefetch()));
            giveUp(open, events);
        }

        @Override
        public void channelConfirmed(ConsumerChannel channel, Events events) {
            if (withChannel(channel) != null) {
                events.confirmed(channel.partition, leaseFacts());
            }
        }

        @Override
        public void leftoverCounted(ConsumerChannel channel, long deliveries) {
            OpenPartition open = withChannel(channel);
            if (open != null) {
                open.leftoverCounted(deliveries);
            }
        }

        /** Returns the partition that uses the channel; null if none does any more. */
        private @Nullable OpenPartition withChannel(ConsumerChannel channel) {
            OpenPartition open = openPartitions.get(channel.partition);
            return open != null && open.channel() == channel ? open : null;
        }
    }
}
