package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue's way in from RabbitMQ, or another AMQP 0-9-1 broker for {@code ordering: none}.
 *
 * <p>Its partitions are owned by lease ({@link #leasable}): the sub-queues of an ordered queue; of an unordered one
 * numbers, each with a channel of its own that competes for the one queue's messages. An open partition has one
 * consuming channel, whose prefetch is the credit: a paused partition just takes no more from what came.
 *
 * <p>A channel is closed to give a partition up, and never cancelled before: the broker would give the next owner's
 * consumer the later messages while ours still has the earlier ones.
 *
 * <p>The loop's thread decides everything here and sends the acks. A second thread makes the calls that wait for the
 * broker's answers, the client's reader only puts deliveries into queues. The connection heals itself; the partitions
 * of a lost one are {@linkplain Source.Events#lost lost} and may be leased again when it is back.
 */
public final class RabbitSource implements Source {

    private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);

    private static final int BATCH = 512;
    private static final long FIRST_BACKOFF_MILLIS = 100;
    private static final long MAX_BACKOFF_MILLIS = 5_000;
    private static final long STABLE_NANOS = 10_000_000_000L;

    private final RabbitSettings settings;
    private final MessageCodec codec;
    private final Health health;
    private final BrokerCalls calls;
    private final Wakeups wakeups = new Wakeups();
    private final ConcurrentLinkedQueue<Signal> signals = new ConcurrentLinkedQueue<>();
    private final Mailbox mailbox = new Mailbox();

    // The loop's own from here on.
    private final Map<Partition, Slot> slots = new LinkedHashMap<>();
    private final ArrayDeque<Signal> own = new ArrayDeque<>();
    private List<Slot> turnOrder = List.of();
    private int turn;
    private @Nullable Connection connection;
    private List<String> queues = List.of();
    private List<Partition> partitions = List.of();
    private long connectedAt;
    private int failures;
    private long channels;
    private boolean closed;

    /** Begins to connect; returns at once. */
    public RabbitSource(RabbitSettings settings) {
        this(settings, InstantSource.system());
    }

    RabbitSource(RabbitSettings settings, InstantSource clock) {
        this.settings = settings;
        this.codec = new MessageCodec(settings, clock);
        this.health = new Health(log, "Queue '" + settings.queue() + "', RabbitMQ at " + settings.address(), clock);
        this.calls = new BrokerCalls(settings, mailbox, mailbox, threads(settings.queue()));
        calls.connect(0);
    }

    static ThreadFactory threads(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "tandem-rabbit-" + name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** How it stands with the broker. From any thread. */
    public RabbitStatus status() {
        return health.status();
    }

    @Override
    public Kind kind() {
        return Kind.QUEUE;
    }

    @Override
    public Collection<Partition> leasable() {
        return connection == null ? List.of() : partitions;
    }

    // ---- turns

    @Override
    public void poll(long maxMillis, Events events) {
        boolean woken = wakeups.take();
        boolean came = turn(events);
        if (!came && !woken && maxMillis > 0 && !closed) {
            wakeups.await(Math.min(maxMillis * 1_000_000, nanosToFlush()));
            turn(events);
        }
    }

    @Override
    public void wakeup() {
        wakeups.wake();
    }

    private boolean turn(Events events) {
        boolean came = false;
        for (Signal signal = signals.poll(); signal != null; signal = signals.poll()) {
            came = true;
            signal.handle(events);
        }
        for (Signal signal = own.poll(); signal != null; signal = own.poll()) {
            came = true;
            signal.handle(events);
        }
        List<Slot> order = turnOrder;
        for (int i = 0; i < order.size(); i++) {
            came |= deliver(order.get((turn + i) % order.size()), events);
        }
        turn++;
        return came;
    }

    private boolean deliver(Slot slot, Events events) {
        Intake intake = slot.intake();
        if (slots.get(slot.partition) != slot) {
            return false; // Gone since this turn began.
        }
        List<Delivery> batch = intake.take(BATCH);
        if (!batch.isEmpty()) {
            events.delivered(slot.partition, batch, -1);
            slot.took(batch);
        }
        if (settings.ordered()) {
            catchUp(slot, events);
        }
        flush(intake, false);
        return !batch.isEmpty();
    }

    private void catchUp(Slot slot, Events events) {
        if (slot.isCountDue(System.nanoTime())) {
            calls.count(slot.intake());
        }
        if (slot.becomesCaughtUp()) {
            events.caughtUp(slot.partition);
        }
    }

    private long nanosToFlush() {
        long now = System.nanoTime();
        long least = Long.MAX_VALUE;
        for (Slot slot : turnOrder) {
            least = Math.min(least, slot.intake().nanosToFlush(now));
        }
        return least;
    }

    // ---- what the engine wants

    @Override
    public void open(Partition partition) {
        if (connection == null || !partitions.contains(partition)) {
            own.add(events -> events.lost(List.of(partition)));
            return;
        }
        String queue = queues.get(partitions.indexOf(partition));
        Slot slot = new Slot(
                partition, () -> new Intake(partition, queue, ++channels, settings.prefetch(), codec, mailbox));
        Slot earlier = slots.put(partition, slot);
        if (earlier != null) {
            end(earlier);
        }
        slotsChanged();
        calls.open(slot.intake(), 0);
    }

    @Override
    public void pause(Partition partition) {
        pause(partition, true);
    }

    @Override
    public void resume(Partition partition) {
        pause(partition, false);
    }

    private void pause(Partition partition, boolean paused) {
        Slot slot = slots.get(partition);
        if (slot != null) {
            slot.pause(paused);
        }
    }

    @Override
    public void rewind(Partition partition) {
        Slot slot = slots.get(partition);
        if (slot != null) {
            Intake old = slot.intake();
            flush(old, true);
            old.close();
            calls.replace(old, slot.begin());
        }
    }

    /** Logs only. */
    @Override
    public void commit(Partition partition, long upTo) {
        throw new IllegalStateException("The messages of " + partition + " are acked one by one");
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        Slot slot = slots.get(partition);
        if (slot == null) {
            return;
        }
        long now = System.nanoTime();
        for (long sequence : sequences) {
            slot.intake().settled(sequence, now);
        }
        flush(slot.intake(), false);
    }

    /** The channel that consumes; null if there is none yet. For tests. */
    @Nullable
    Channel consuming(Partition partition) {
        Slot slot = slots.get(partition);
        return slot != null && slot.intake().wasOpened() ? slot.intake().channel() : null;
    }

    private void flush(Intake intake, boolean all) {
        try {
            intake.flush(all, System.nanoTime());
        } catch (IOException e) {
            // The end of the channel is told by itself, and what was not acked comes again.
            log.debug("{}: acks were not taken: {}", intake, Replies.reason(e));
        }
    }

    @Override
    public void confirm(Partition partition) {
        Slot slot = slots.get(partition);
        if (slot != null && slot.intake().wasOpened()) {
            flush(slot.intake(), true);
            calls.confirm(slot.intake());
        } else if (connection != null) {
            // Nothing was consumed yet, so nobody could have taken anything from us.
            own.add(events -> events.confirmed(partition, Facts.NONE));
        } else {
            own.add(events -> events.lost(List.of(partition)));
        }
    }

    @Override
    public void close(Partition partition) {
        Slot slot = slots.remove(partition);
        if (slot != null) {
            slotsChanged();
            end(slot);
        }
    }

    private void end(Slot slot) {
        flush(slot.intake(), true);
        slot.intake().close();
        calls.close(slot.intake());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        slots.values().forEach(this::end);
        slots.clear();
        slotsChanged();
        calls.shutdown();
        connection = null;
        health.closed();
    }

    private void slotsChanged() {
        turnOrder = List.copyOf(slots.values());
    }

    // ---- what the broker did

    private void connected(Connection fresh, Broker broker, List<String> declared) {
        if (closed || !fresh.isOpen()) {
            return; // Its end is told next.
        }
        connection = fresh;
        connectedAt = System.nanoTime();
        queues = declared;
        List<Partition> all = new ArrayList<>();
        for (int i = 0; i < declared.size(); i++) {
            all.add(Partition.of(settings.queue(), i));
        }
        partitions = List.copyOf(all);
        health.up("connected to " + broker);
    }

    private void connectFailed(Exception why) {
        String reason = why instanceof RabbitTopologyException
                ? String.valueOf(why.getMessage())
                : "can't be reached: " + Replies.reason(why);
        health.down(reason, reason);
        reconnect();
    }

    private void disconnected(Connection gone, ShutdownSignalException signal, Events events) {
        if (closed) {
            return;
        }
        if (gone == connection || connection == null) {
            connection = null;
            failures = System.nanoTime() - connectedAt > STABLE_NANOS ? 0 : failures;
            health.down("disconnected", "the connection is lost: " + Replies.reason(signal));
            reconnect();
            List<Partition> lost = List.copyOf(slots.keySet());
            slots.values().forEach(slot -> slot.intake().close());
            slots.clear();
            slotsChanged();
            if (!lost.isEmpty()) {
                events.lost(lost);
            }
        }
    }

    private void reconnect() {
        if (!closed) {
            calls.connect(backoff(failures++));
        }
    }

    /** A channel could not be opened: nothing was delivered on it, so it is just tried again. Else it is lost. */
    private void failed(Intake intake, Exception why, Events events) {
        if (intake.wasOpened()) {
            ended(intake, why, events);
            return;
        }
        Slot slot = current(intake);
        if (slot == null || connection == null) {
            return;
        }
        String reason = Replies.reason(why);
        if (slot.isNews(reason)) {
            health.warn("the channel for " + intake + " can't be opened: " + reason + "; trying again until it works");
        }
        calls.open(slot.begin(), backoff(slot.failures()));
    }

    private void ended(Intake intake, @Nullable Throwable why, Events events) {
        Slot slot = current(intake);
        if (slot == null || Replies.isConnectionEnd(why)) {
            return; // Nobody's any more; or the connection's end, which is told by itself.
        }
        health.warn("the channel for " + intake + " ended, what was not acked comes again: "
                + Replies.channelEnd(why, settings.prefetch()));
        close(slot.partition);
        events.lost(List.of(slot.partition));
    }

    private @Nullable Slot current(Intake intake) {
        Slot slot = slots.get(intake.partition);
        return slot != null && slot.intake() == intake ? slot : null;
    }

    private static long backoff(int failures) {
        long millis = Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS << Math.min(failures, 10));
        return millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1);
    }

    /** Something for the loop. */
    private interface Signal {
        void handle(Events events);
    }

    /** Brings what other threads have to say to the loop's thread. */
    private final class Mailbox implements BrokerCalls.Listener, Intake.Listener, Declarer.Notes {

        private void post(Signal signal) {
            signals.add(signal);
            wakeups.wake();
        }

        @Override
        public void arrived() {
            wakeups.wake();
        }

        @Override
        public void ended(Intake intake, @Nullable ShutdownSignalException signal) {
            if (!intake.isClosed() && (signal == null || !signal.isInitiatedByApplication())) {
                post(events -> RabbitSource.this.ended(intake, signal, events));
            }
        }

        @Override
        public void connected(Connection fresh, Broker broker, List<String> declared) {
            post(events -> RabbitSource.this.connected(fresh, broker, declared));
        }

        @Override
        public void connectFailed(Exception why) {
            post(events -> RabbitSource.this.connectFailed(why));
        }

        @Override
        public void failed(Intake intake, Exception why) {
            post(events -> RabbitSource.this.failed(intake, why, events));
        }

        @Override
        public void confirmed(Intake intake) {
            post(events -> {
                if (current(intake) != null) {
                    events.confirmed(intake.partition, Facts.NONE);
                }
            });
        }

        @Override
        public void counted(Intake intake, long deliveries) {
            post(events -> {
                Slot slot = current(intake);
                if (slot != null && deliveries >= 0) {
                    slot.counted(deliveries);
                }
            });
        }

        @Override
        public void disconnected(Connection gone, ShutdownSignalException signal) {
            post(events -> RabbitSource.this.disconnected(gone, signal, events));
        }

        @Override
        public void info(String text) {
            health.info(text);
        }

        @Override
        public void warn(String text) {
            health.warn(text);
        }
    }
}
