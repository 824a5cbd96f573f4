package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.rabbit.Declarer.Declared;
import dev.tandem.rabbit.MessageWriter.Message;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes tasks to the exchanges of their queues: persistent, mandatory, confirmed. Connects at the first task, on a
 * connection of its own, since a broker in need stops reading from those that publish. What is missing is declared, so
 * that a task has a queue before the first executor starts.
 *
 * <p>Publishing waits at most 5 s for room among the unconfirmed; a task that was not confirmed within 30 s fails. Stages
 * end on the connection's thread: what depends on them must not block.
 */
public final class RabbitPublisher implements Publisher {

    private static final Logger log = LoggerFactory.getLogger(RabbitPublisher.class);

    private static final int MAX_UNCONFIRMED = 5_000;
    private static final long ROOM_SECONDS = 5;
    private static final long CONFIRM_SECONDS = 30;
    private static final long CLOSE_SECONDS = 10;
    private static final int ABORT_MILLIS = 2_000;
    /** How long after a nack the return that explains it may come. */
    private static final long RETURN_MILLIS = 200;
    /** How long tasks wait for the ring of their queue. */
    private static final long RING_NANOS = 2_000_000_000L;

    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final Client client;
    private final ExecutorService sender;
    private final Semaphore room = new Semaphore(MAX_UNCONFIRMED);
    private final String idPrefix = UUID.randomUUID() + ":";
    private final AtomicLong ids = new AtomicLong();

    private volatile @Nullable Link link;
    private volatile boolean closed;

    private record Target(RabbitSettings settings, MessageWriter writer) {}

    /**
     * @param queues the queues that may be published to, one or more, all of one broker
     * @throws IllegalArgumentException if there is none, or their URIs differ
     */
    public RabbitPublisher(Collection<RabbitSettings> queues) {
        RabbitSettings first = queues.stream()
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("A publisher needs one queue or more"));
        for (RabbitSettings each : queues) {
            if (!each.uri().equals(first.uri())) {
                throw new IllegalArgumentException("The queues '" + first.queue() + "' and '" + each.queue()
                        + "' are of different brokers: make a publisher for each");
            }
            targets.put(each.queue(), new Target(each, new MessageWriter(each, InstantSource.system())));
        }
        client = new Client(first.uri(), RabbitSource.threads("publisher-io"));
        sender = Executors.newSingleThreadExecutor(RabbitSource.threads("publisher"));
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        try {
            Target target = targets.get(task.queue());
            if (target == null) {
                throw new PublishException("The queue '" + task.queue() + "' has no RabbitMQ exchange here: use one of "
                        + targets.keySet());
            }
            String id = idPrefix + ids.incrementAndGet();
            Pending pending =
                    new Pending(target, target.writer().message(task, id), task.id() == null ? id : task.id());
            takeRoom();
            return send(pending);
        } catch (PublishException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void takeRoom() {
        Link current = link;
        String blocked = current == null ? null : current.blocked;
        try {
            if (blocked == null && room.tryAcquire(ROOM_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishException("The task was not published: the thread was interrupted", e);
        }
        throw new PublishException(
                blocked == null
                        ? "The task was not published: " + MAX_UNCONFIRMED
                                + " before it are not confirmed yet; the broker is slow, try again later"
                        : "The task was not published: the broker takes no messages now (" + blocked
                                + "); free its memory or disk, then try again");
    }

    private CompletionStage<PublishedId> send(Pending pending) {
        CompletionStage<PublishedId> answer = pending.confirmed
                .orTimeout(CONFIRM_SECONDS, TimeUnit.SECONDS)
                .handle((published, problem) -> {
                    room.release();
                    if (problem == null) {
                        return published;
                    }
                    throw problem instanceof PublishException known
                            ? known
                            : new PublishException(
                                    "The task was not confirmed within " + CONFIRM_SECONDS + " s by "
                                            + pending.message.place() + "; it may have arrived",
                                    problem);
                });
        try {
            sender.execute(() -> sendNow(pending));
        } catch (RejectedExecutionException e) {
            pending.fail("The task can't be published: this publisher is closed", null);
        }
        return answer;
    }

    // ---- the sender's thread

    private void sendNow(Pending pending) {
        if (pending.confirmed.isDone()) {
            return;
        }
        try {
            Link current = link();
            current.declare(pending.target.settings(), client);
            current.send(pending);
        } catch (RabbitTopologyException e) {
            pending.fail("The task can't be published: " + e.getMessage(), e);
        } catch (IOException | TimeoutException | RuntimeException e) {
            pending.fail(
                    "The task was not published, RabbitMQ at "
                            + pending.target.settings().address() + " can't be used: " + Replies.reason(e),
                    e);
        }
    }

    private Link link() throws IOException, TimeoutException {
        Link current = link;
        if (current != null && current.isOpen()) {
            return current;
        }
        if (closed) {
            throw new IOException("this publisher is closed");
        }
        if (current != null) {
            current.abort();
        }
        Link fresh = new Link(client.connect("tandem publisher"));
        link = fresh;
        return fresh;
    }

    /** Waits up to 10 s for tasks that are under way; those that are left then fail. */
    @Override
    public void close() {
        closed = true;
        sender.shutdown();
        try {
            if (!sender.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    || !room.tryAcquire(MAX_UNCONFIRMED, CLOSE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("The publisher ends with tasks that were not confirmed");
            } else {
                room.release(MAX_UNCONFIRMED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sender.shutdownNow().forEach(Runnable::run);
        Link last = link;
        if (last != null) {
            last.abort();
        }
    }

    /** A task until its confirmation. */
    private static final class Pending {
        private final Target target;
        private final Message message;
        private final String taskId;
        private final CompletableFuture<PublishedId> confirmed = new CompletableFuture<>();
        /** Both are touched by the connection's thread only. */
        private @Nullable String returned;

        private boolean nacked;

        Pending(Target target, Message message, String taskId) {
            this.target = target;
            this.message = message;
            this.taskId = taskId;
        }

        void fail(String why, @Nullable Throwable cause) {
            confirmed.completeExceptionally(
                    cause == null ? new PublishException(why) : new PublishException(why, cause));
        }

        /** The broker says that there is no queue. RabbitMQ acks after this, Qpid nacks, before it. */
        void returned(String reply) {
            returned = reply;
            if (nacked) {
                unroutable(reply);
            }
        }

        void acked() {
            if (returned != null) {
                unroutable(returned);
            } else {
                confirmed.complete(new PublishedId(taskId, message.place()));
            }
        }

        void nacked() {
            nacked = true;
            if (returned != null) {
                unroutable(returned);
            } else {
                CompletableFuture.delayedExecutor(RETURN_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(() -> fail(
                                "The task was refused by " + message.place()
                                        + ": the broker could not store it (is the queue full, or its leader down?)",
                                null));
            }
        }

        private void unroutable(String reply) {
            fail(
                    "The task was not published: no queue is bound to " + message.place() + " (" + reply
                            + "). Does the key match the queue's routing-key '"
                            + target.settings().routingKey() + "', or was the queue deleted?",
                    null);
        }
    }

    /** One connection with its channel, and what is under way on it. */
    private static final class Link implements ConfirmListener, ReturnListener, BlockedListener {
        private final Connection connection;
        private final Channel channel;
        private final Set<String> declared = new HashSet<>();
        private final ConcurrentNavigableMap<Long, Pending> unconfirmed = new ConcurrentSkipListMap<>();
        private final Map<String, Pending> byId = new ConcurrentHashMap<>();
        private volatile @Nullable String blocked;

        Link(Connection connection) throws IOException {
            this.connection = connection;
            Channel made = connection.createChannel();
            if (made == null) {
                connection.abort(ABORT_MILLIS);
                throw new IOException("the broker's channel_max of this connection is used up");
            }
            this.channel = made;
            made.confirmSelect();
            made.addConfirmListener(this);
            made.addReturnListener(this);
            connection.addBlockedListener(this);
            made.addShutdownListener(this::ended);
        }

        boolean isOpen() {
            return channel.isOpen();
        }

        void abort() {
            connection.abort(ABORT_MILLIS);
        }

        void declare(RabbitSettings settings, Client client) throws IOException, TimeoutException {
            if (!declared.contains(settings.queue())) {
                Broker broker = Broker.of(connection.getServerProperties());
                Declarer.Notes notes = new LogNotes(settings);
                Declared found = new Declarer(connection, broker, settings, notes).declare();
                if (settings.ordered()) {
                    makeRing(new Ring(client, settings, notes), found, settings);
                }
                declared.add(settings.queue());
            }
        }

        /** So that tasks go straight to their sub-queues. If it is not to be had now, executors will see to it. */
        private static void makeRing(Ring ring, Declared found, RabbitSettings settings)
                throws IOException, TimeoutException {
            long end = System.nanoTime() + RING_NANOS;
            try {
                boolean unused = ring.make(found, () -> System.nanoTime() > end);
            } catch (RabbitTopologyException e) {
                if (Replies.code(e) != Replies.ACCESS_REFUSED) {
                    throw e;
                }
                log.debug("Queue '{}': its ring is left to executors", settings.queue(), e);
            } catch (Drain.StuckException e) {
                log.debug("Queue '{}': what is unrouted is left to executors", settings.queue(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void send(Pending pending) throws IOException {
            Message message = pending.message;
            long number = channel.getNextPublishSeqNo();
            String id = message.properties().getMessageId();
            byId.put(id, pending);
            pending.confirmed.whenComplete((published, problem) -> byId.remove(id));
            unconfirmed.put(number, pending);
            channel.basicPublish(message.exchange(), message.routingKey(), true, message.properties(), message.body());
            if (!channel.isOpen()) {
                ended(channel.getCloseReason());
            }
        }

        @Override
        public void handleReturn(
                int code, String text, String exchange, String routingKey, BasicProperties properties, byte[] body) {
            Pending pending = byId.get(properties.getMessageId());
            if (pending != null) {
                pending.returned(text);
            }
        }

        @Override
        public void handleAck(long tag, boolean multiple) {
            confirm(tag, multiple, true);
        }

        @Override
        public void handleNack(long tag, boolean multiple) {
            confirm(tag, multiple, false);
        }

        private void confirm(long tag, boolean multiple, boolean acked) {
            Collection<Long> tags =
                    multiple ? List.copyOf(unconfirmed.headMap(tag, true).keySet()) : List.of(tag);
            for (Long each : tags) {
                Pending pending = unconfirmed.remove(each);
                if (pending == null) {
                    continue;
                }
                if (acked) {
                    pending.acked();
                } else {
                    pending.nacked();
                }
            }
        }

        private void ended(ShutdownSignalException signal) {
            for (Long each : List.copyOf(unconfirmed.keySet())) {
                Pending pending = unconfirmed.remove(each);
                if (pending != null) {
                    pending.fail(
                            "The task was not confirmed before the connection to RabbitMQ ended ("
                                    + Replies.reason(signal) + "); it may have arrived",
                            signal);
                }
            }
        }

        @Override
        public void handleBlocked(String reason) {
            blocked = reason;
            log.warn("RabbitMQ takes no messages now: {}", reason);
        }

        @Override
        public void handleUnblocked() {
            blocked = null;
            log.info("RabbitMQ takes messages again");
        }
    }

    private record LogNotes(RabbitSettings settings) implements Declarer.Notes {
        @Override
        public void info(String text) {
            log.info("Queue '{}': {}", settings.queue(), text);
        }

        @Override
        public void warn(String text) {
            log.warn("Queue '{}': {}", settings.queue(), text);
        }
    }
}
