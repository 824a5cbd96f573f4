package dev.tandem.rabbit;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
 * Publishes tasks to the exchanges of their queues, as persistent and mandatory messages that the broker confirms. The
 * publisher connects at the first task, on a connection of its own, since an overloaded broker stops reading from
 * connections that publish. It declares what is missing, so that a task has a queue before the first executor starts.
 *
 * <p>Publishing waits at most 5 s while too many tasks are unconfirmed; a task that is not confirmed within 30 s fails.
 * Stages complete on the connection's thread, so what depends on them must not block.
 */
public final class RabbitPublisher implements Publisher {

    private static final Logger log = LoggerFactory.getLogger(RabbitPublisher.class);

    private static final int MAX_UNCONFIRMED = 5_000;
    /** Bounds the payloads that wait for their confirmation: {@link #MAX_UNCONFIRMED} times as many bytes, 39 MiB. */
    private static final int BYTES_PER_PERMIT = 8 << 10;

    private static final long PERMIT_WAIT_SECONDS = 5;
    private static final long CONFIRM_SECONDS = 30;
    private static final long CLOSE_SECONDS = 10;

    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final RabbitConnector connector;
    private final ExecutorService sender;
    private final Semaphore unconfirmedPermits = new Semaphore(MAX_UNCONFIRMED);
    private final String idPrefix = UUID.randomUUID() + ":";
    private final AtomicLong ids = new AtomicLong();

    /** Replaced by the sender's thread only. */
    private volatile @Nullable PublisherConnection connection;

    private volatile boolean closed;

    private record Target(RabbitSettings settings, MessageEncoder encoder) {}

    /**
     * @param queues the queues that tasks may be published to, all of one broker
     * @throws IllegalArgumentException if there is no queue, or if their URIs or accesses differ
     */
    public RabbitPublisher(Collection<RabbitSettings> queues) {
        RabbitSettings first = queues.stream()
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("A publisher needs one queue or more"));
        for (RabbitSettings each : queues) {
            if (!each.uri().equals(first.uri()) || !each.access().equals(first.access())) {
                throw new IllegalArgumentException("The queues '" + first.queue() + "' and '" + each.queue()
                        + "' belong to different brokers or users: create a publisher for each");
            }
            targets.put(each.queue(), new Target(each, new MessageEncoder(each, InstantSource.system())));
        }
        connector = new RabbitConnector(first, RabbitThreads.named("publisher-io"));
        sender = Executors.newSingleThreadExecutor(RabbitThreads.named("publisher"));
    }

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        try {
            return send(prepared(task));
        } catch (PublishException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Publication prepare(Task task) {
        PendingTask prepared = prepared(task);
        return end -> {
            var unused = send(prepared).whenComplete((published, problem) -> end.accept(failure(problem)));
        };
    }

    private static @Nullable PublishException failure(@Nullable Throwable problem) {
        Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
        return cause == null || cause instanceof PublishException
                ? (PublishException) cause
                : new PublishException(BrokerErrors.explain(cause), cause);
    }

    private PendingTask prepared(Task task) {
        Target target = targets.get(task.queue());
        if (target == null) {
            throw new PublishException(
                    "The queue '" + task.queue() + "' has no RabbitMQ exchange here: use one of " + targets.keySet());
        }
        String id = idPrefix + ids.incrementAndGet();
        return new PendingTask(
                target.settings(), target.encoder().encode(task, id), task.id() == null ? id : task.id());
    }

    private CompletionStage<PublishedId> send(PendingTask task) {
        int permits = permits(task.message().body().length);
        try {
            acquire(permits);
        } catch (PublishException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletionStage<PublishedId> answer = task.confirmed()
                .orTimeout(CONFIRM_SECONDS, TimeUnit.SECONDS)
                .handle((published, problem) -> {
                    unconfirmedPermits.release(permits);
                    if (problem == null) {
                        return published;
                    }
                    throw problem instanceof PublishException known
                            ? known
                            : new PublishException(
                                    "The task was not confirmed within " + CONFIRM_SECONDS + " s by "
                                            + task.message().place() + "; it may have arrived",
                                    problem);
                });
        try {
            sender.execute(() -> sendNow(task));
        } catch (RejectedExecutionException e) {
            task.fail("The task cannot be published: this publisher is closed", null);
        } catch (RuntimeException | Error e) { // no thread, for instance
            task.fail("The task cannot be published: " + e, e);
        }
        return answer;
    }

    /** Returns how much of the bound a payload takes: 1 for most of them, more for a large one. */
    static int permits(int payloadBytes) {
        return Math.min(MAX_UNCONFIRMED, 1 + payloadBytes / BYTES_PER_PERMIT);
    }

    private void acquire(int permits) {
        PublisherConnection current = connection;
        String blockedReason = current == null ? null : current.blockedReason();
        try {
            if (blockedReason == null
                    && unconfirmedPermits.tryAcquire(permits, PERMIT_WAIT_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PublishException("The task was not published: the thread was interrupted", e);
        }
        throw new PublishException(
                blockedReason == null
                        ? "The task was not published: " + MAX_UNCONFIRMED + " earlier tasks, or "
                                + (MAX_UNCONFIRMED * BYTES_PER_PERMIT >> 20)
                                + " MiB of them, are not confirmed yet. The broker is slow; try again later"
                        : "The task was not published: the broker accepts no messages now (" + blockedReason
                                + "). Free its memory or disk, then try again");
    }

    // ---- the sender's thread

    private void sendNow(PendingTask task) {
        if (task.confirmed().isDone()) {
            return;
        }
        try {
            PublisherConnection current = openConnection();
            current.declare(task.settings(), connector);
            current.send(task);
        } catch (RabbitTopologyException e) {
            task.fail("The task cannot be published: " + e.getMessage(), e);
        } catch (IOException | TimeoutException | RuntimeException | Error e) {
            task.fail(
                    "The task was not published, because RabbitMQ at "
                            + task.settings().address() + " cannot be used: " + BrokerErrors.explain(e)
                            + (BrokerErrors.isNoConnection(e) ? ". Check the URI, and that a broker runs there" : ""),
                    e);
        }
    }

    private PublisherConnection openConnection() throws IOException, TimeoutException {
        PublisherConnection current = connection;
        if (current != null && current.isOpen()) {
            return current;
        }
        if (closed) {
            throw new IOException("this publisher is closed");
        }
        if (current != null) {
            current.abort();
        }
        PublisherConnection opened = new PublisherConnection(connector.connect("tandem publisher"));
        connection = opened;
        return opened;
    }

    /** Waits up to 10 s for the confirmations of published tasks. Those that are still missing then fail. */
    @Override
    public void close() {
        closed = true;
        sender.shutdown();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            if (!sender.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    || !unconfirmedPermits.tryAcquire(
                            MAX_UNCONFIRMED, deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                log.warn(
                        "Closing the publisher before all tasks are confirmed. Publishing the others fails, although they"
                                + " may have arrived");
            } else {
                unconfirmedPermits.release(MAX_UNCONFIRMED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sender.shutdownNow().forEach(Runnable::run);
        PublisherConnection last = connection;
        if (last != null) {
            last.abort();
        }
    }
}
