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
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves the unrouted messages to the ring, in their order and as they were. Each is published, mandatory, and acked only
 * when that is confirmed; so one whose mover dies in between may be there twice, and none is lost. One thread's.
 */
final class Drain {

    /** A message could not be moved. It and all that were not confirmed are unrouted again once the channel ends. */
    static final class StuckException extends IOException {
        StuckException(String why) {
            super(why);
        }
    }

    private static final int MAX_BATCH = 256;
    private static final long CONFIRM_MILLIS = 5_000;
    private static final long LOOK_MILLIS = 10;
    /** By then a queue has a leader, and the messages of one who drained it before us are back in it. */
    private static final long SETTLED_NANOS = 5_000_000_000L;

    private final Channel channel;
    private final String queue;
    private final String ring;
    /** Messages between two waits for the broker, which are all that is fetched. */
    private final int batch;

    private final ConcurrentLinkedQueue<Delivery> arrivals = new ConcurrentLinkedQueue<>();
    private final Confirms confirms = new Confirms();
    private volatile boolean cancelled;

    /** Begins to consume. */
    Drain(Connection connection, RabbitSettings settings) throws IOException {
        Channel made = Client.channel(connection);
        this.channel = made;
        this.queue = Topology.unroutedName(settings);
        this.ring = Topology.ringName(settings);
        this.batch = Math.min(MAX_BATCH, settings.prefetch());
        made.confirmSelect();
        made.addConfirmListener(confirms);
        made.addReturnListener(confirms);
        made.basicQos(this.batch);
        made.basicConsume(queue, false, new DefaultConsumer(made) {
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
     * Moves what waits, until nothing does or it no longer halves: then publishers are about as fast, and would keep us
     * at it for ever.
     *
     * @param stop asked between batches
     * @return false if it was stopped
     * @throws StuckException if the broker did not take a message to where it belongs
     */
    boolean catchUp(BooleanSupplier stop) throws IOException, InterruptedException {
        return move(stop, true);
    }

    /** The same, until the queue is empty. Ends once nothing comes any more. */
    boolean toTheEnd(BooleanSupplier stop) throws IOException, InterruptedException {
        return move(stop, false);
    }

    private boolean move(BooleanSupplier stop, boolean whileItHalves) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long waited = Long.MAX_VALUE;
        long left = 0;
        while (!stop.getAsBoolean()) {
            List<Delivery> some = arrived();
            if (!some.isEmpty()) {
                move(some);
                left -= some.size();
                if (whileItHalves && left <= 0) {
                    // All that waited when this round began is moved.
                    long wait = waiting();
                    if (wait > waited / 2) {
                        return true;
                    }
                    waited = wait;
                    left = wait;
                }
            } else if (isEmpty(System.nanoTime() - began > SETTLED_NANOS)) {
                return true;
            }
        }
        return false;
    }

    private long waiting() throws IOException {
        try {
            return channel.queueDeclarePassive(queue).getMessageCount() + arrivals.size();
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
    }

    private List<Delivery> arrived() {
        List<Delivery> some = new ArrayList<>();
        for (Delivery next = arrivals.poll(); next != null; next = some.size() < batch ? arrivals.poll() : null) {
            some.add(next);
        }
        return some;
    }

    /** Two round trips: what the queue had sent when it answered the first is here when the second is answered. */
    private boolean isEmpty(boolean settled) throws IOException, InterruptedException {
        try {
            DeclareOk unused = channel.queueDeclarePassive(queue);
            DeclareOk answer = channel.queueDeclarePassive(queue);
            if (cancelled) {
                throw new IOException("the queue '" + queue + "' was deleted or moved");
            }
            // A queue whose leader is missing counts nothing at all, not even us. Another consumer is one who died
            // with messages that are not back yet, or a person who looks.
            boolean known = answer.getConsumerCount() == 1 || settled;
            if (arrivals.isEmpty() && known && answer.getMessageCount() == 0) {
                return true;
            }
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
        if (arrivals.isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return false;
    }

    private void move(List<Delivery> some) throws IOException, InterruptedException {
        try {
            confirms.expect(channel.getNextPublishSeqNo(), some.size());
            for (Delivery each : some) {
                channel.basicPublish(
                        ring,
                        each.getEnvelope().getRoutingKey(),
                        true,
                        asTheyWere(each.getProperties()),
                        each.getBody());
            }
            if (confirms.await(channel)) {
                channel.basicAck(some.get(some.size() - 1).getEnvelope().getDeliveryTag(), true);
                return;
            }
            for (int i = 0; i < some.size(); i++) {
                if (confirms.isSafe(i)) {
                    channel.basicAck(some.get(i).getEnvelope().getDeliveryTag(), false);
                }
            }
            // The answer shows that the acks have arrived, before the channel is closed.
            DeclareOk unused = channel.queueDeclarePassive(queue);
        } catch (ShutdownSignalException e) {
            throw new IOException(e);
        }
        throw new StuckException(confirms.why());
    }

    /** But for the user: the broker would refuse the name of one who is not us. */
    static BasicProperties asTheyWere(BasicProperties properties) {
        return properties.getUserId() == null
                ? properties
                : properties.builder().userId(null).build();
    }

    /** The broker's answers to one batch: told by the client's reader, waited for by the drain's thread. */
    private static final class Confirms implements ConfirmListener, ReturnListener {
        private static final byte ACKED = 1;
        private static final byte NACKED = 2;

        private long first;
        private byte[] answers = new byte[0];
        private int open;
        private boolean nacked;
        private @Nullable String returned;

        synchronized void expect(long firstNumber, int count) {
            first = firstNumber;
            answers = new byte[count];
            open = count;
            nacked = false;
            returned = null;
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
            returned = text;
        }

        private synchronized void answered(long number, boolean multiple, byte answer) {
            int last = (int) (number - first);
            for (int i = multiple ? 0 : Math.max(0, last); i <= last && i < answers.length; i++) {
                if (answers[i] == 0) {
                    answers[i] = answer;
                    nacked |= answer == NACKED;
                    open--;
                }
            }
            notifyAll();
        }

        /** Whether all are in their sub-queues. */
        synchronized boolean await(Channel channel) throws InterruptedException {
            long end = System.nanoTime() + CONFIRM_MILLIS * 1_000_000;
            for (long left = CONFIRM_MILLIS; open > 0 && left > 0 && channel.isOpen(); ) {
                wait(Math.min(left, 100));
                left = (end - System.nanoTime()) / 1_000_000;
            }
            return open == 0 && !nacked && returned == null;
        }

        /** A message that comes back is confirmed as well, and nothing tells which it was. */
        synchronized boolean isSafe(int number) {
            return returned == null && answers[number] == ACKED;
        }

        synchronized String why() {
            return returned != null
                    ? "one belongs to no sub-queue (" + returned + ")"
                    : nacked
                            ? "a sub-queue refused one"
                            : "a sub-queue has not confirmed one within " + CONFIRM_MILLIS / 1_000 + " s";
        }
    }
}
