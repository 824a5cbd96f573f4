package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import dev.tandem.rabbit.RabbitEventQueue.Bound;
import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.PublishedEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of some queues from one {@link RabbitEventQueue}, which it declares. One reader at a time gets events, and the others
 * stand by. What the broker drops beyond the bound of the queue is noticed by a gap in the numbers of a partition.
 */
public final class RabbitEventReader implements EventReader {

    private static final Logger log = LoggerFactory.getLogger(RabbitEventReader.class);

    private static final int ABORT_MILLIS = 2_000;
    private static final String PREFIX = "cloudEvents:";

    private static final PublishedEvent TOO_LARGE = new PublishedEvent(Map.of(), new byte[] {'{', '}'});

    /** An event that waits to be read. @param tag the number of its delivery */
    private record Delivered(long tag, PublishedEvent event) {}

    private final List<Bound> bound;
    private final RabbitEventQueue queue;
    private final String name;
    private final int batch;
    private final RabbitConnector connector;
    private final AtomicLong lost = new AtomicLong();
    /**
     * Events that the broker has delivered on the channel and nobody has read. The prefetch bounds their number, and the largest
     * size of an event their bytes. Each channel has its own queue: one that is closed may still deliver, and its delivery tags
     * must not be acknowledged on another channel.
     */
    private BlockingQueue<Delivered> delivered = new LinkedBlockingQueue<>();

    private final EventGaps gaps = new EventGaps();

    private @Nullable Connection connection;
    private @Nullable Channel channel;
    private boolean consuming;
    private long lastTag;
    private boolean warned;

    /**
     * @param bound the queues whose events they are, at least one
     * @param batch the most events of one read
     */
    public RabbitEventReader(List<Bound> bound, RabbitEventQueue queue, int batch) {
        this.bound = List.copyOf(bound);
        this.queue = queue;
        this.name = queue.name();
        this.batch = batch;
        this.connector = new RabbitConnector(bound.get(0).settings(), RabbitThreads.named(name));
    }

    /** Declares the queue and binds it, anew for each connection. An exchange keeps nothing for queues that are bound later. */
    @Override
    public void keepEvents() {
        try {
            Channel unused = declared();
        } catch (IOException | TimeoutException | RuntimeException e) {
            throw failed("cannot be kept", e);
        }
    }

    @Override
    public List<PublishedEvent> read(Duration wait) {
        lastTag = 0;
        try {
            Channel from = consuming();
            List<Delivered> taken = new ArrayList<>();
            Delivered first = delivered.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
            if (first == null) {
                if (!from.isOpen()) {
                    throw new IOException("the channel was closed", from.getCloseReason());
                }
                return List.of();
            }
            taken.add(first);
            delivered.drainTo(taken, batch - 1);
            lastTag = taken.get(taken.size() - 1).tag();
            return taken.stream().map(this::counted).toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (IOException | TimeoutException | RuntimeException e) {
            throw failed("cannot be read", e);
        }
    }

    private PublishedEvent counted(Delivered delivered) {
        lost.addAndGet(gaps.before(delivered.event().attributes()));
        return delivered.event();
    }

    /** Returns an event, or an empty one in the place of what is too large for one: anybody may publish to the exchange. */
    private static PublishedEvent event(Delivery delivery) {
        Map<String, String> attributes = new HashMap<>();
        long size = delivery.getBody().length;
        Map<String, Object> headers = delivery.getProperties().getHeaders();
        if (headers != null) {
            for (Map.Entry<String, Object> header : headers.entrySet()) {
                if (header.getKey().startsWith(PREFIX) && header.getValue() != null) {
                    String value = header.getValue().toString();
                    size += header.getKey().length() + value.length();
                    attributes.put(header.getKey().substring(PREFIX.length()), value);
                }
            }
        }
        return size > PublishedEvent.MAX_BYTES ? TOO_LARGE : new PublishedEvent(attributes, delivery.getBody());
    }

    @Override
    public void confirm() {
        Channel from = channel;
        if (from == null || lastTag == 0) {
            return;
        }
        try {
            from.basicAck(lastTag, true);
        } catch (IOException | RuntimeException e) {
            throw failed("are stored, but cannot be acknowledged", e);
        }
    }

    /** Closes the connection, so that another reader gets the events if it can store them. */
    @Override
    public void giveBack(Duration pause) {
        abort();
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long waiting() {
        try {
            Channel open = channel;
            if (open != null && open.isOpen()) {
                return open.messageCount(name) + delivered.size();
            }
            Connection asking = connector.connect("tandem " + name + " count");
            try {
                return RabbitConnector.openChannel(asking).messageCount(name);
            } finally {
                asking.abort(ABORT_MILLIS);
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            return 0;
        }
    }

    @Override
    public long lost() {
        return lost.get();
    }

    /** Returns a channel of a connection on which the queue was declared. */
    private Channel declared() throws IOException, TimeoutException {
        Channel current = channel;
        if (current != null && current.isOpen()) {
            return current;
        }
        abort();
        Connection opened = connector.connect("tandem " + name);
        connection = opened;
        IOException other = queue.declare(opened, bound);
        if (other != null && !warned) {
            warned = true;
            log.warn(
                    "The queue '{}' of RabbitMQ exists with other arguments, perhaps another bound in bytes, and is used"
                            + " as it is ({}). To change it, delete it when it is empty",
                    name,
                    BrokerErrors.explain(other));
        }
        Channel made = RabbitConnector.openChannel(opened);
        channel = made;
        return made;
    }

    private Channel consuming() throws IOException, TimeoutException {
        Channel on = declared();
        if (consuming) {
            return on;
        }
        on.basicQos(2 * batch);
        BlockingQueue<Delivered> its = new LinkedBlockingQueue<>();
        delivered = its;
        on.basicConsume(
                name,
                false,
                (tag, delivery) -> its.add(new Delivered(delivery.getEnvelope().getDeliveryTag(), event(delivery))),
                (tag, signal) -> {
                    // A closed channel is noticed by the next read.
                });
        consuming = true;
        return on;
    }

    private ReadException failed(String what, Exception problem) {
        abort();
        return new ReadException(
                "The events in the queue '" + name + "' of RabbitMQ at "
                        + bound.get(0).settings().address() + " " + what + ": " + BrokerErrors.explain(problem)
                        + remedy(problem),
                problem);
    }

    private static String remedy(Exception problem) {
        return BrokerErrors.replyCode(problem) == BrokerErrors.ACCESS_REFUSED
                ? ". Allow this user to configure, write and read it"
                : "";
    }

    private void abort() {
        Connection last = connection;
        connection = null;
        channel = null;
        consuming = false;
        lastTag = 0;
        if (last != null) {
            last.abort(ABORT_MILLIS);
        }
        delivered = new LinkedBlockingQueue<>(); // Those come again.
    }

    @Override
    public void close() {
        abort();
    }
}
