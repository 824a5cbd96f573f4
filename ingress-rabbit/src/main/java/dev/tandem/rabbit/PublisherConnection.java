package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.MessageEncoder.OutgoingMessage;
import dev.tandem.rabbit.UnroutedMover.CannotMoveException;
import dev.tandem.task.LogText;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a publisher with its channel, and the tasks that are not confirmed on it yet. The sender's thread
 * declares and publishes, the client's reader thread reports the broker's answers.
 */
final class PublisherConnection implements ConfirmListener, ReturnListener, BlockedListener {

    private static final Logger log = LoggerFactory.getLogger(RabbitPublisher.class);

    private static final int MAX_LOGGED_TEXT = 300;
    private static final int ABORT_MILLIS = 2_000;
    /** How long the first task of an ordered queue waits for the ring. */
    private static final long RING_WAIT_NANOS = 2_000_000_000L;

    private final Connection connection;
    private final Channel channel;
    private final Set<String> declaredQueues = new HashSet<>();
    private final ConcurrentNavigableMap<Long, PendingTask> unconfirmed = new ConcurrentSkipListMap<>();
    private final Map<String, PendingTask> byMessageId = new ConcurrentHashMap<>();
    private volatile @Nullable String blockedReason;

    PublisherConnection(Connection connection) throws IOException {
        this.connection = connection;
        try {
            this.channel = RabbitConnector.openChannel(connection);
        } catch (IOException e) {
            connection.abort(ABORT_MILLIS);
            throw e;
        }
        channel.confirmSelect();
        channel.addConfirmListener(this);
        channel.addReturnListener(this);
        connection.addBlockedListener(this);
        channel.addShutdownListener(this::ended);
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void abort() {
        connection.abort(ABORT_MILLIS);
    }

    /** Returns why the broker accepts no messages for now; null if it does. */
    @Nullable
    String blockedReason() {
        return blockedReason;
    }

    // ---- called by the sender's thread

    /** Declares the queue's topology, once per connection. */
    void declare(RabbitSettings settings, RabbitConnector connector) throws IOException, TimeoutException {
        if (!declaredQueues.contains(settings.queue())) {
            BrokerProduct broker = BrokerProduct.of(connection.getServerProperties());
            QueueLog queueLog = new PublisherLog(settings.queue());
            DeclaredQueues declared = new TopologyDeclarer(connection, broker, settings, queueLog).declare();
            if (settings.ordered()) {
                buildRing(new RingBuilder(connector, settings, queueLog), declared, settings);
            }
            declaredQueues.add(settings.queue());
        }
    }

    /**
     * Builds the ring, so that tasks reach their sub-queues at once. If that is not possible now, executors will do it.
     */
    private static void buildRing(RingBuilder builder, DeclaredQueues declared, RabbitSettings settings)
            throws IOException, TimeoutException {
        long deadline = System.nanoTime() + RING_WAIT_NANOS;
        try {
            boolean unused = builder.build(declared, () -> System.nanoTime() > deadline);
        } catch (RabbitTopologyException e) {
            if (BrokerErrors.replyCode(e) != BrokerErrors.ACCESS_REFUSED) {
                throw e;
            }
            log.debug("Queue '{}': this user may not build the ring, so executors have to", settings.queue(), e);
        } catch (CannotMoveException e) {
            log.debug("Queue '{}': could not move unrouted messages, so executors have to", settings.queue(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends a task, or fails it. */
    void send(PendingTask task) {
        OutgoingMessage message = task.message();
        String unsendable =
                HeaderFrame.problemOfSending(message.properties(), message.body().length, connection.getFrameMax());
        if (unsendable != null) {
            task.refuse(unsendable);
            return;
        }
        long number = channel.getNextPublishSeqNo();
        String id = message.properties().getMessageId();
        byMessageId.put(id, task);
        task.confirmed().whenComplete((published, problem) -> byMessageId.remove(id));
        unconfirmed.put(number, task);
        try {
            channel.basicPublish(message.exchange(), message.routingKey(), true, message.properties(), message.body());
        } catch (Throwable e) {
            giveUp(number, task, e);
        }
        if (!channel.isOpen()) {
            ended(channel.getCloseReason());
        }
    }

    /**
     * Gives the connection up after a failure to publish. The client has counted the message although the broker may
     * not have got it, so each later confirm would belong to another message.
     */
    private void giveUp(long number, PendingTask failed, Throwable problem) {
        unconfirmed.remove(number);
        String reason = BrokerErrors.explain(problem);
        if (problem instanceof IOException) {
            failed.fail(
                    "The connection to RabbitMQ broke while the task was sent (" + reason + "); it may have arrived",
                    problem);
        } else {
            failed.fail("The task was not published: " + reason, problem);
        }
        log.warn(
                "The connection of the publisher is given up, because a task could not be sent: {}",
                LogText.oneLine(reason, MAX_LOGGED_TEXT));
        abort();
    }

    // ---- called by the client's reader thread

    @Override
    public void handleReturn(
            int code, String text, String exchange, String routingKey, BasicProperties properties, byte[] body) {
        PendingTask task = byMessageId.get(properties.getMessageId());
        if (task != null) {
            task.returned(text);
        }
    }

    @Override
    public void handleAck(long tag, boolean multiple) {
        answered(tag, multiple, true);
    }

    @Override
    public void handleNack(long tag, boolean multiple) {
        answered(tag, multiple, false);
    }

    private void answered(long tag, boolean multiple, boolean acked) {
        Collection<Long> tags =
                multiple ? List.copyOf(unconfirmed.headMap(tag, true).keySet()) : List.of(tag);
        for (Long each : tags) {
            PendingTask task = unconfirmed.remove(each);
            if (task == null) {
                continue;
            }
            if (acked) {
                task.acked();
            } else {
                task.nacked();
            }
        }
    }

    private void ended(ShutdownSignalException signal) {
        for (Long each : List.copyOf(unconfirmed.keySet())) {
            PendingTask task = unconfirmed.remove(each);
            if (task != null) {
                task.fail(
                        "The task was not confirmed before the connection to RabbitMQ ended ("
                                + BrokerErrors.explain(signal) + "); it may have arrived",
                        signal);
            }
        }
    }

    @Override
    public void handleBlocked(String reason) {
        blockedReason = reason;
        log.warn(
                "RabbitMQ has stopped accepting messages ({}). Publishing fails until it accepts them again: free its"
                        + " memory or disk",
                reason);
    }

    @Override
    public void handleUnblocked() {
        blockedReason = null;
        log.info("RabbitMQ accepts messages again");
    }

    private record PublisherLog(String queue) implements QueueLog {
        @Override
        public void info(String text) {
            log.info("Queue '{}': {}", queue, text);
        }

        @Override
        public void warn(String text) {
            log.warn("Queue '{}': {}", queue, text);
        }
    }
}
