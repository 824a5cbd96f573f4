package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.LogText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves unrouted messages to the ring, unchanged and in their order. Each message is published with the mandatory flag,
 * and acked once that is confirmed. So no message is lost; one may be moved twice if the mover dies in between. Used by
 * one thread.
 */
final class UnroutedMover {

    /**
     * Thrown if a message could not be moved. It is redelivered once the channel ends, like all that were not
     * confirmed.
     */
    static final class CannotMoveException extends IOException {
        CannotMoveException(String why) {
            super(why);
        }
    }

    private static final Logger log = LoggerFactory.getLogger(UnroutedMover.class);

    private static final int MAX_LOGGED_TEXT = 300;
    private static final int MAX_BATCH = 256;
    private static final long CONFIRM_MILLIS = 5_000;
    private static final long EMPTY_CHECK_MILLIS = 10;
    /** After this time a queue has a leader, and messages that an earlier mover held are back in it. */
    private static final long STABLE_NANOS = 5_000_000_000L;

    private final Channel channel;
    private final String queue;
    private final String ring;
    /** The number of messages to move before waiting for confirms, and the prefetch. */
    private final int batchSize;

    private final ConcurrentLinkedQueue<Delivery> arrivals = new ConcurrentLinkedQueue<>();
    private final BatchConfirms confirms = new BatchConfirms();
    private volatile boolean cancelled;

    /** Opens a channel and starts to consume the unrouted messages. */
    UnroutedMover(Connection connection, RabbitSettings settings) throws IOException {
        Channel opened = RabbitConnector.openChannel(connection);
        this.channel = opened;
        this.queue = QueueTopology.unroutedName(settings);
        this.ring = QueueTopology.ringExchange(settings);
        this.batchSize = Math.min(MAX_BATCH, settings.prefetch());
        opened.confirmSelect();
        opened.addConfirmListener(confirms);
        opened.addReturnListener(confirms);
        opened.basicQos(this.batchSize);
        opened.basicConsume(queue, false, new DefaultConsumer(opened) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
                arrivals.add(new Delivery(envelope, properties, body));
            }

            @Override
            public void handleCancel(String tag) {
                cancelled = true;
            }
        });
    }

    /**
     * Moves messages until none is waiting, or until their number no longer halves from round to round. Then publishers
     * are about as fast as the mover, which would never finish.
     *
     * @param stop checked between batches
     * @return false if it was stopped
     * @throws CannotMoveException if the broker did not accept a message
     */
    boolean moveBacklog(BooleanSupplier stop) throws IOException, InterruptedException {
        return move(stop, true);
    }

    /** Moves messages until none is waiting. Ends only after new messages no longer arrive in the queue. */
    boolean moveAll(BooleanSupplier stop) throws IOException, InterruptedException {
        return move(stop, false);
    }

    private boolean move(BooleanSupplier stop, boolean whileItHalves) throws IOException, InterruptedException {
        long startedAt = System.nanoTime();
        long lastBacklog = Long.MAX_VALUE;
        long leftInRound = 0;
        while (!stop.getAsBoolean()) {
            List<Delivery> batch = takeBatch();
            if (!batch.isEmpty()) {
                moveBatch(batch);
                leftInRound -= batch.size();
                if (whileItHalves && leftInRound <= 0) {
                    // All messages that were waiting when this round began have been moved.
                    long backlog = countWaiting();
                    if (backlog > lastBacklog / 2) {
                        return true;
                    }
                    lastBacklog = backlog;
                    leftInRound = backlog;
                }
            } else if (isEmpty(System.nanoTime() - startedAt > STABLE_NANOS)) {
                return true;
            }
        }
        return false;
    }

    private long countWaiting() throws IOException {
        try {
            return channel.queueDeclarePassive(queue).getMessageCount() + arrivals.size();
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
    }

    private List<Delivery> takeBatch() {
        List<Delivery> batch = new ArrayList<>();
        for (Delivery next = arrivals.poll(); next != null; next = batch.size() < batchSize ? arrivals.poll() : null) {
            batch.add(next);
        }
        return batch;
    }

    /**
     * Whether the queue is empty. Makes two round trips: messages that the queue sent before it answered the first have
     * arrived when it answers the second.
     *
     * @param stable whether enough time has passed for the queue's counts to be right
     */
    private boolean isEmpty(boolean stable) throws IOException, InterruptedException {
        try {
            DeclareOk unused = channel.queueDeclarePassive(queue);
            DeclareOk answer = channel.queueDeclarePassive(queue);
            if (cancelled) {
                throw new IOException("the queue '" + queue + "' was deleted or moved");
            }
            // A queue without a leader counts no consumers at all. A second consumer may be that of a mover that died
            // and whose messages are not back in the queue yet.
            boolean countsAreRight = answer.getConsumerCount() == 1 || stable;
            if (arrivals.isEmpty() && countsAreRight && answer.getMessageCount() == 0) {
                return true;
            }
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
        if (arrivals.isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(EMPTY_CHECK_MILLIS);
        }
        return false;
    }

    private void moveBatch(List<Delivery> taken) throws IOException, InterruptedException {
        try {
            List<Delivery> batch = putUnsendableAside(taken);
            if (batch.isEmpty()) {
                return;
            }
            confirms.expect(channel.getNextPublishSeqNo(), batch.size());
            for (Delivery each : batch) {
                channel.basicPublish(
                        ring,
                        each.getEnvelope().getRoutingKey(),
                        true,
                        withoutUserId(each.getProperties()),
                        each.getBody());
            }
            if (confirms.await(channel)) {
                channel.basicAck(batch.get(batch.size() - 1).getEnvelope().getDeliveryTag(), true);
                return;
            }
            for (int i = 0; i < batch.size(); i++) {
                if (confirms.isConfirmed(i)) {
                    channel.basicAck(batch.get(i).getEnvelope().getDeliveryTag(), false);
                }
            }
            // This round trip makes sure that the acks have arrived before the channel is closed.
            DeclareOk unused = channel.queueDeclarePassive(queue);
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
        throw new CannotMoveException(confirms.failure());
    }

    /**
     * Returns the messages that can be published. Rejects the others, which go to the dead-letter queue: trying them
     * again would keep the ring from ever being complete.
     */
    private List<Delivery> putUnsendableAside(List<Delivery> taken) throws IOException {
        int frameMax = channel.getConnection().getFrameMax();
        List<Delivery> sendable = new ArrayList<>(taken.size());
        for (Delivery each : taken) {
            String problem = HeaderFrame.problemOfSending(each.getProperties(), each.getBody().length, frameMax);
            if (problem == null) {
                sendable.add(each);
            } else {
                log.warn(
                        "Queue '{}': a message cannot be moved to its sub-queue, so it goes to the dead-letter queue: {}",
                        queue,
                        LogText.oneLine(problem, MAX_LOGGED_TEXT));
                channel.basicReject(each.getEnvelope().getDeliveryTag(), false);
            }
        }
        return sendable;
    }

    /** Removes the user id: the broker refuses a message that names another user than the one who publishes it. */
    static BasicProperties withoutUserId(BasicProperties properties) {
        return properties.getUserId() == null
                ? properties
                : properties.builder().userId(null).build();
    }

    /**
     * The broker's answers to one batch. The client's reader thread records them, the mover's thread waits for them.
     */
    private static final class BatchConfirms implements ConfirmListener, ReturnListener {
        private static final byte ACKED = 1;
        private static final byte NACKED = 2;

        private long first;
        private byte[] answers = new byte[0];
        private int unanswered;
        private boolean anyNacked;
        private @Nullable String returnReason;

        synchronized void expect(long firstNumber, int count) {
            first = firstNumber;
            answers = new byte[count];
            unanswered = count;
            anyNacked = false;
            returnReason = null;
        }

        @Override
        public void handleAck(long number, boolean multiple) {
            answered(number, multiple, ACKED);
        }

        @Override
        public void handleNack(long number, boolean multiple) {
            answered(number, multiple, NACKED);
        }

        @Override
        public synchronized void handleReturn(
                int code, String text, String exchange, String key, BasicProperties properties, byte[] body) {
            returnReason = text;
        }

        private synchronized void answered(long number, boolean multiple, byte answer) {
            int last = (int) (number - first);
            for (int i = multiple ? 0 : Math.max(0, last); i <= last && i < answers.length; i++) {
                if (answers[i] == 0) {
                    answers[i] = answer;
                    anyNacked |= answer == NACKED;
                    unanswered--;
                }
            }
            notifyAll();
        }

        /** Waits for the answers. Returns whether all messages are in their sub-queues. */
        synchronized boolean await(Channel channel) throws InterruptedException {
            long deadline = System.nanoTime() + CONFIRM_MILLIS * 1_000_000;
            for (long left = CONFIRM_MILLIS; unanswered > 0 && left > 0 && channel.isOpen(); ) {
                wait(Math.min(left, 100));
                left = (deadline - System.nanoTime()) / 1_000_000;
            }
            return unanswered == 0 && !anyNacked && returnReason == null;
        }

        /**
         * Whether the message is in its sub-queue. False for all of them if one was returned: it is confirmed as well,
         * and nothing tells which one it was.
         */
        synchronized boolean isConfirmed(int number) {
            return returnReason == null && answers[number] == ACKED;
        }

        synchronized String failure() {
            return returnReason != null
                    ? "a message belongs to no sub-queue (" + returnReason + ")"
                    : anyNacked
                            ? "a sub-queue refused a message"
                            : "a sub-queue did not confirm a message within " + CONFIRM_MILLIS / 1_000 + " s";
        }
    }
}
