package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.Declarer.Declared;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that waits for the broker's answer, on one thread of its own, so that the loop never does: it renews leases
 * meanwhile. Decides nothing; each call's end is told to the listener.
 */
final class BrokerCalls {

    /** Told on this object's thread. */
    interface Listener {
        void connected(Connection connection, Broker broker, List<String> queues);

        void connectFailed(Exception why);

        /** It could not be opened, or a call on it failed: it is closed. */
        void failed(Intake intake, Exception why);

        void confirmed(Intake intake);

        /** Once so many of its deliveries were taken, all that earlier owners left has been; -1: not known yet. */
        void counted(Intake intake, long deliveries);

        void disconnected(Connection connection, ShutdownSignalException signal);
    }

    private static final Logger log = LoggerFactory.getLogger(BrokerCalls.class);

    private static final int CLOSE_MILLIS = 2_000;
    private static final long ACKS_MILLIS = 100;
    /** For many acks on a busy broker the channel stays open longer, a millisecond for so many. */
    private static final int ACKS_A_MILLI = 4;

    private static final long MOST_ACKS_MILLIS = 700;
    private static final long SLOW = 5;
    private static final long LOOK_MILLIS = 10;
    private static final long RING_NANOS = 5_000_000_000L;
    private static final long LEADER_MILLIS = 250;
    private static final long FIRST_LOOK_MILLIS = 20;
    private static final long MAX_LOOK_MILLIS = 250;
    /** By then the broker has missed the heartbeats of one that is gone. */
    private static final long OTHER_MILLIS = 15_000;

    private final RabbitSettings settings;
    private final Declarer.Notes notes;
    private final Listener listener;
    private final Client client;
    private final ScheduledThreadPoolExecutor thread;
    /** Of an ordered queue. */
    private final @Nullable RingKeeper ring;

    /** Channels that are being closed. */
    private final AtomicInteger closing = new AtomicInteger();

    private @Nullable Connection connection;
    private @Nullable Broker broker;
    private volatile boolean ended;

    BrokerCalls(RabbitSettings settings, Declarer.Notes notes, Listener listener, ThreadFactory threads) {
        this.settings = settings;
        this.notes = notes;
        this.listener = listener;
        this.client = new Client(settings.uri(), threads);
        this.thread = new ScheduledThreadPoolExecutor(1, threads);
        this.ring = settings.ordered() ? new RingKeeper(settings, notes, threads) : null;
    }

    /** Connects and declares, after a while. */
    void connect(long delayMillis) {
        later(delayMillis, () -> {
            Connection fresh = null;
            try {
                fresh = client.connect("tandem " + settings.queue());
                Broker met = Broker.of(fresh.getServerProperties());
                Declared declared = new Declarer(fresh, met, settings, notes).declare();
                keepRing(fresh, declared);
                if (ended) {
                    abort(fresh);
                    return;
                }
                connection = fresh;
                broker = met;
                listener.connected(fresh, met, declared.queues());
                // Told at once if it is closed already.
                Connection current = fresh;
                fresh.addShutdownListener(signal -> listener.disconnected(current, signal));
            } catch (IOException | TimeoutException | RuntimeException e) {
                abort(fresh);
                listener.connectFailed(e);
            }
        });
    }

    /**
     * Has the ring made and kept. Waits for it for a while only: what comes without it is kept for it, and the
     * sub-queues may be full already.
     */
    private void keepRing(Connection on, Declared declared) {
        if (ring == null) {
            return;
        }
        CompletableFuture<Boolean> tried = ring.keep(on, declared);
        for (long end = System.nanoTime() + RING_NANOS; !ended && System.nanoTime() < end; ) {
            try {
                boolean ignored = tried.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                // Not yet.
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RabbitTopologyException refused) {
                    throw refused;
                }
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Opens a channel and consumes on it, after a while. */
    void open(Intake intake, long delayMillis) {
        later(delayMillis, () -> openNow(intake));
    }

    private void openNow(Intake intake) {
        if (!intake.isClosed()) {
            orFailed(intake, () -> {
                intake.begin(channel());
                consume(intake, System.nanoTime());
            });
        }
    }

    /**
     * An earlier consumer of a sub-queue is waited for. RabbitMQ would let ours wait by itself, but a quorum queue does
     * not count those that wait: ours would seem to be alone, with an empty queue, while the other has its messages.
     */
    private void consume(Intake intake, long since) throws IOException {
        Channel channel = intake.channel();
        if (intake.isClosed() || channel == null) {
            return;
        }
        boolean alone =
                settings.ordered() && channel.queueDeclarePassive(intake.queue).getConsumerCount() == 0;
        if (settings.ordered() && !alone) {
            long waited = (System.nanoTime() - since) / 1_000_000;
            if (waited < OTHER_MILLIS) {
                long look = Math.max(FIRST_LOOK_MILLIS, Math.min(MAX_LOOK_MILLIS, waited / 4));
                later(look, () -> orFailed(intake, () -> consume(intake, since)));
                return;
            }
            notes.warn("'" + intake.queue + "' has another consumer, for " + waited / 1_000
                    + " s by now: while that one is active, nothing is delivered to this executor");
        }
        intake.consume(settings.prefetch(), alone);
    }

    /** What may fail at the broker. */
    private interface Call {
        void make() throws IOException;
    }

    private void orFailed(Intake intake, Call call) {
        try {
            call.make();
        } catch (IOException | RuntimeException e) {
            close(intake.channel());
            if (Replies.code(e) == Replies.NOT_FOUND) {
                declareAgain();
            }
            listener.failed(intake, e);
        }
    }

    private Channel channel() throws IOException {
        Connection current = connection;
        if (current == null) {
            throw new IOException("not connected");
        }
        return Client.channel(current);
    }

    private void declareAgain() {
        Connection current = connection;
        Broker met = broker;
        if (current == null || met == null || !current.isOpen()) {
            return;
        }
        try {
            Declared declared = new Declarer(current, met, settings, notes).declare();
            if (declared.grown()) {
                keepRing(current, declared);
            }
        } catch (IOException | RuntimeException e) {
            notes.warn("what is missing can't be declared again: " + Replies.reason(e));
        }
    }

    /**
     * A round trip on the consuming channel, answered by the queue itself: one whose leader is missing counts no
     * consumer, though ours is there. A failure shows as the end of the channel.
     */
    void confirm(Intake intake) {
        confirm(intake, 0);
    }

    private void confirm(Intake intake, long delayMillis) {
        later(delayMillis, () -> {
            DeclareOk answer = ask(intake);
            if (answer != null && answer.getConsumerCount() > 0) {
                listener.confirmed(intake);
            } else if (answer != null) {
                confirm(intake, LEADER_MILLIS);
            }
        });
    }

    /**
     * Asks the queue how much of what earlier owners left is still to come. Two round trips: what the queue had sent
     * when it answered the first is here when the second is answered.
     */
    void count(Intake intake) {
        later(0, () -> {
            DeclareOk first = ask(intake);
            DeclareOk second = first == null ? null : ask(intake);
            if (first != null && second != null) {
                // Another consumer may be an earlier owner's, with messages that are not back in the queue yet.
                // None is a queue whose leader did not answer in time.
                boolean alone = first.getConsumerCount() == 1 && intake.isActive();
                listener.counted(intake, alone ? intake.received() + first.getMessageCount() : -1);
            }
        });
    }

    private @Nullable DeclareOk ask(Intake intake) {
        Channel channel = intake.channel();
        if (intake.isClosed() || channel == null) {
            return null;
        }
        try {
            return channel.queueDeclarePassive(intake.queue);
        } catch (IOException | RuntimeException e) {
            // A late answer must not be taken for the next one's: the channel is of no use any more.
            close(channel);
            listener.failed(intake, e);
            return null;
        }
    }

    /**
     * Closes the channel; what was not acked goes back to the queue. Never cancels before: see the source.
     *
     * <p>Acks that RabbitMQ's channel holds back while its queue is slow would be lost with it, and no answer tells of
     * them. So the channel stays open for a moment after the last acks, and for a round trip, which shows that those
     * before it are in the queue's log.
     */
    void close(Intake intake) {
        close(intake, () -> {});
    }

    /** Closes the one, then opens the other: what was not acked comes again first. */
    void replace(Intake intake, Intake fresh) {
        close(intake, () -> openNow(fresh));
    }

    private void close(Intake intake, Runnable then) {
        closing.incrementAndGet();
        Runnable done = () -> {
            closing.decrementAndGet();
            then.run();
        };
        later(0, () -> {
            Channel channel = intake.channel();
            if (channel == null || !channel.isOpen()) {
                done.run();
                return;
            }
            later(acksMillis(intake), () -> {
                long began = System.nanoTime();
                roundTrip(intake, channel);
                long took = (System.nanoTime() - began) / 1_000_000;
                // A broker that is slow to answer is slow with acks too.
                later(Math.min(MOST_ACKS_MILLIS, SLOW * took), () -> {
                    roundTrip(intake, channel);
                    close(channel);
                    done.run();
                });
            });
        });
    }

    private static long acksMillis(Intake intake) {
        return Math.min(MOST_ACKS_MILLIS, ACKS_MILLIS + intake.recentAcks() / ACKS_A_MILLI);
    }

    private static void roundTrip(Intake intake, Channel channel) {
        try {
            DeclareOk unused = channel.queueDeclarePassive(intake.queue);
        } catch (IOException | RuntimeException e) {
            // Then it is as good as closed.
        }
    }

    private static void close(@Nullable Channel channel) {
        try {
            if (channel != null && channel.isOpen()) {
                channel.close();
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            // Closed meanwhile, or the broker hangs. Then only the end of the connection gives messages back.
            if (!Replies.isEnd(e)) {
                abort(channel.getConnection());
            }
        }
    }

    /** Ends all, within a few seconds. */
    void shutdown() {
        ended = true;
        if (ring != null) {
            ring.close();
        }
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        later(0, () -> endAfterChannels(end, System.nanoTime()));
        try {
            boolean ignored = end.get(3 * CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            notes.warn("its connection could not be closed in time and ends with its heartbeats");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.shutdownNow();
    }

    /** Channels that are being closed go first. */
    private void endAfterChannels(CompletableFuture<Boolean> end, long since) {
        if (closing.get() > 0 && System.nanoTime() - since < CLOSE_MILLIS * 1_000_000L) {
            later(LOOK_MILLIS, () -> endAfterChannels(end, since));
            return;
        }
        abort(connection);
        end.complete(true);
    }

    private static void abort(@Nullable Connection connection) {
        if (connection != null) {
            connection.abort(CLOSE_MILLIS);
        }
    }

    private void later(long delayMillis, Runnable call) {
        if (!thread.isShutdown()) {
            Future<?> unused = thread.schedule(() -> guarded(call), delayMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** What no call expects is said, else it would be lost in a future that nobody asks. */
    private static void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            log.error("A call to RabbitMQ failed by a bug", e);
        }
    }
}
