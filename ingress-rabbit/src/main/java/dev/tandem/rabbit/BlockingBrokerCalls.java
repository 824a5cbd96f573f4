package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Makes all calls that wait for the broker, on one thread of its own. So the queue's loop never waits, and can renew
 * its leases meanwhile. Decides nothing: the listener is told how each call ended.
 */
final class BlockingBrokerCalls {

    /** Told how calls ended, on the broker thread or on the client's reader thread. */
    interface Listener {
        void connected(Connection connection, BrokerProduct broker, List<String> queues);

        void connectFailed(Exception why);

        void disconnected(Connection connection, ShutdownSignalException signal);

        /** The channel could not be opened, or a call on it failed. It is closed. */
        void channelFailed(ConsumerChannel channel, Exception why);

        void channelConfirmed(ConsumerChannel channel);

        /** After this many deliveries, all that earlier owners left has been delivered. */
        void leftoverCounted(ConsumerChannel channel, long deliveries);
    }

    private static final int CLOSE_MILLIS = 2_000;
    private static final long FORGOTTEN_CHECK_MILLIS = 5_000;
    private static final long CLOSE_CHECK_MILLIS = 10;
    private static final long RING_CHECK_MILLIS = 10;
    private static final long RING_WAIT_NANOS = 5_000_000_000L;
    private static final long LEADER_WAIT_MILLIS = 250;
    private static final long MIN_CONSUMER_CHECK_MILLIS = 20;
    private static final long MAX_CONSUMER_CHECK_MILLIS = 250;
    /** After this time the broker has noticed by missed heartbeats that an executor is gone. */
    private static final long OTHER_CONSUMER_MILLIS = 15_000;

    private final RabbitSettings settings;
    private final QueueLog queueLog;
    private final Listener listener;
    private final RabbitConnector connector;
    private final BrokerThread thread;
    private final ChannelCloser closer;
    /** Null for an unordered queue. */
    private final @Nullable RingMaintainer ring;

    private volatile boolean closed;

    // The fields below are used by the broker thread only.
    private @Nullable Connection connection;
    private @Nullable BrokerProduct broker;

    BlockingBrokerCalls(RabbitSettings settings, QueueLog queueLog, Listener listener, ThreadFactory threads) {
        this.settings = settings;
        this.queueLog = queueLog;
        this.listener = listener;
        this.connector = new RabbitConnector(settings, threads);
        this.thread = new BrokerThread(threads);
        this.closer = new ChannelCloser(thread);
        this.ring = settings.ordered() ? new RingMaintainer(settings, queueLog, threads) : null;
    }

    // ---- the connection

    /** Connects after a delay, and declares the topology. */
    void connect(long delayMillis) {
        thread.later(delayMillis, () -> {
            Connection opened = null;
            try {
                opened = connector.connect("tandem " + settings.queue());
                BrokerProduct product = BrokerProduct.of(opened.getServerProperties());
                TopologyDeclarer declarer = new TopologyDeclarer(opened, product, settings, queueLog);
                DeclaredQueues declared = declarer.declare();
                maintainRing(opened, declared);
                if (closed) {
                    ChannelCloser.abort(opened);
                    return;
                }
                connection = opened;
                broker = product;
                listener.connected(opened, product, declared.names());
                // The client calls the listener at once if the connection is closed already.
                Connection current = opened;
                opened.addShutdownListener(signal -> listener.disconnected(current, signal));
                declarer.forgotten().ifPresent(queues -> lookAgain(current, queues));
            } catch (IOException | TimeoutException | RuntimeException e) {
                ChannelCloser.abort(opened);
                listener.connectFailed(e);
            } catch (Error e) {
                // Without this the source would never try again.
                ChannelCloser.abort(opened);
                listener.connectFailed(new IllegalStateException("a failure of the program itself: " + e, e));
            }
        });
    }

    /**
     * Has the ring built and maintained. Waits for it for a limited time only: messages that arrive without it are
     * kept, and the sub-queues may hold many already.
     */
    private void maintainRing(Connection on, DeclaredQueues declared) {
        if (ring == null) {
            return;
        }
        CompletableFuture<Boolean> firstAttempt = ring.maintain(on, declared);
        for (long deadline = System.nanoTime() + RING_WAIT_NANOS; !closed && System.nanoTime() < deadline; ) {
            try {
                boolean ignored = firstAttempt.get(RING_CHECK_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                // Not finished yet.
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

    /** Looks at forgotten queues until they are gone. At no others, since the broker logs a question for a missing one. */
    private void lookAgain(Connection on, ForgottenQueues last) {
        thread.later(FORGOTTEN_CHECK_MILLIS, () -> {
            if (on.isOpen() && connection == on) {
                find(on, last).ifPresent(queues -> lookAgain(on, queues));
            }
        });
    }

    private Optional<ForgottenQueues> find(Connection on, ForgottenQueues last) {
        try {
            DeclareChannel channel = new DeclareChannel(on);
            try {
                Optional<ForgottenQueues> found =
                        ForgottenQueues.find(channel, settings, last.names().size());
                queueLog.forgotten(found);
                return found;
            } finally {
                channel.close(); // The broker may be silent, and would keep one for each try.
            }
        } catch (IOException | RuntimeException e) {
            return Optional.of(last); // Until the connection is closed, which is reported separately.
        }
    }

    private void declareAgain() {
        Connection current = connection;
        BrokerProduct product = broker;
        if (current == null || product == null || !current.isOpen()) {
            return;
        }
        try {
            DeclaredQueues declared = new TopologyDeclarer(current, product, settings, queueLog).declare();
            if (declared.subQueuesAdded()) {
                maintainRing(current, declared);
            }
        } catch (IOException | RuntimeException e) {
            queueLog.warn("cannot declare missing exchanges and queues again: " + BrokerErrors.explain(e)
                    + ". Their tasks do not arrive; retrying with the next attempt to open a channel");
        }
    }

    // ---- consuming channels

    /** Opens a channel after a delay, and consumes on it. */
    void open(ConsumerChannel consumer, long delayMillis) {
        thread.later(delayMillis, () -> openNow(consumer));
    }

    private void openNow(ConsumerChannel consumer) {
        if (!consumer.isClosed()) {
            orReportFailure(consumer, () -> {
                consumer.attach(openChannel());
                consume(consumer, System.nanoTime());
            });
        }
    }

    /**
     * Waits until a sub-queue has no other consumer, then consumes. RabbitMQ would let our consumer wait, but a quorum
     * queue does not count waiting consumers: ours would seem to be the only one of an empty queue, while the other one
     * still holds its messages.
     */
    private void consume(ConsumerChannel consumer, long waitingSince) throws IOException {
        Channel channel = consumer.channel();
        if (consumer.isClosed() || channel == null) {
            return;
        }
        DeclareOk found = settings.ordered() ? channel.queueDeclarePassive(consumer.queue) : null;
        boolean alone = found != null && found.getConsumerCount() == 0;
        if (settings.ordered() && !alone) {
            long waitedMillis = (System.nanoTime() - waitingSince) / 1_000_000;
            if (waitedMillis < OTHER_CONSUMER_MILLIS) {
                long checkMillis =
                        Math.max(MIN_CONSUMER_CHECK_MILLIS, Math.min(MAX_CONSUMER_CHECK_MILLIS, waitedMillis / 4));
                thread.later(checkMillis, () -> orReportFailure(consumer, () -> consume(consumer, waitingSince)));
                return;
            }
            queueLog.warn("the queue '" + consumer.queue + "' has had another consumer for " + waitedMillis / 1_000
                    + " s. While that one is active, the tasks of this queue do not arrive here. Stop it if it is not"
                    + " an executor of Tandem: nobody else may consume from a sub-queue");
        }
        consumer.consume(alone, found == null ? settings.prefetch() : firstPrefetch(found.getMessageCount()));
    }

    /**
     * Returns the prefetch for the first messages of a sub-queue. They must include everything that earlier channels left: a
     * quorum queue appends what a channel returns to what was returned before and is not delivered again yet, so what
     * came first would go last. What earlier channels left is not known, but it is no more than their prefetch.
     */
    private int firstPrefetch(int ready) {
        return ready > settings.prefetch()
                ? Math.max(settings.prefetch(), RabbitSettings.DEFAULT_PREFETCH)
                : settings.prefetch();
    }

    /** Goes from the first prefetch to the one to be kept: first cancels the consumer, later consumes again. */
    void narrow(ConsumerChannel consumer) {
        thread.later(0, () -> {
            if (!consumer.isClosed()) {
                orReportFailure(consumer, () -> {
                    switch (consumer.window()) {
                        case WIDE -> consumer.endWideWindow();
                        case DRAINING -> consumer.beginKeptWindow();
                        case KEPT -> {}
                    }
                });
            }
        });
    }

    /** A call that may fail at the broker. */
    private interface Call {
        void make() throws IOException;
    }

    private void orReportFailure(ConsumerChannel consumer, Call call) {
        try {
            call.make();
        } catch (IOException | RuntimeException e) {
            ChannelCloser.closeNow(consumer.channel());
            if (BrokerErrors.replyCode(e) == BrokerErrors.NOT_FOUND) {
                declareAgain();
            }
            listener.channelFailed(consumer, e);
        }
    }

    private Channel openChannel() throws IOException {
        Connection current = connection;
        if (current == null) {
            throw new IOException("not connected");
        }
        return RabbitConnector.openChannel(current);
    }

    /**
     * Makes a round trip on the consuming channel, which the queue itself answers. Repeats it while the queue counts no
     * consumer, since its leader is missing then. If it fails, the channel is reported as failed.
     */
    void confirm(ConsumerChannel consumer) {
        confirm(consumer, 0);
    }

    private void confirm(ConsumerChannel consumer, long delayMillis) {
        thread.later(delayMillis, () -> {
            DeclareOk answer = askQueue(consumer);
            boolean consumes = consumer.window() != ConsumerChannel.Window.DRAINING;
            if (answer != null && (answer.getConsumerCount() > 0 || !consumes)) {
                listener.channelConfirmed(consumer);
            } else if (answer != null) {
                confirm(consumer, LEADER_WAIT_MILLIS);
            }
        });
    }

    /**
     * Asks the queue how many messages of earlier owners are still to come. Makes two round trips: messages that the
     * queue sent before it answered the first have arrived when it answers the second.
     */
    void countLeftover(ConsumerChannel consumer) {
        thread.later(0, () -> {
            DeclareOk first = askQueue(consumer);
            DeclareOk second = first == null ? null : askQueue(consumer);
            // A second consumer may be an earlier owner's, whose messages are not back in the queue yet. A count of
            // zero
            // means that the queue's leader did not answer in time.
            if (first != null && second != null && first.getConsumerCount() == 1 && consumer.isActive()) {
                listener.leftoverCounted(consumer, consumer.received() + first.getMessageCount());
            }
        });
    }

    private @Nullable DeclareOk askQueue(ConsumerChannel consumer) {
        Channel channel = consumer.channel();
        if (consumer.isClosed() || channel == null) {
            return null;
        }
        try {
            return channel.queueDeclarePassive(consumer.queue);
        } catch (IOException | RuntimeException e) {
            // A late answer could be mistaken for the answer to the next call, so the channel is of no more use.
            ChannelCloser.closeNow(channel);
            listener.channelFailed(consumer, e);
            return null;
        }
    }

    /** Closes the channel, so that its unacked messages return to the queue. */
    void close(ConsumerChannel consumer) {
        closer.close(consumer, () -> {});
    }

    /** Closes one channel, then opens the other. So what was not acked is redelivered first. */
    void replace(ConsumerChannel old, ConsumerChannel fresh) {
        closer.close(old, () -> openNow(fresh));
    }

    // ---- the end

    /** Closes all channels, then the connection, within a few seconds. */
    void shutdown() {
        closed = true;
        if (ring != null) {
            ring.close();
        }
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        thread.later(0, () -> closeConnectionAfterChannels(end, System.nanoTime()));
        try {
            boolean ignored = end.get(3 * CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            queueLog.warn("the connection could not be closed in time. Unacked messages return to their queues when the"
                    + " broker misses its heartbeats, within seconds");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.stop();
    }

    private void closeConnectionAfterChannels(CompletableFuture<Boolean> end, long waitingSince) {
        if (closer.isBusy() && System.nanoTime() - waitingSince < CLOSE_MILLIS * 1_000_000L) {
            thread.later(CLOSE_CHECK_MILLIS, () -> closeConnectionAfterChannels(end, waitingSince));
            return;
        }
        ChannelCloser.abort(connection);
        end.complete(true);
    }
}
