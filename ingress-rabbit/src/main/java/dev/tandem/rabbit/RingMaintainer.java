package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.UnroutedMover.CannotMoveException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the ring of an ordered queue in place: builds it after each connect, and again when messages are found
 * unrouted, which is checked every few seconds. Works on a thread of its own, since moving many messages takes long.
 */
final class RingMaintainer {

    private static final long CHECK_MILLIS = 3_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final long RETRY_MOVE_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = 2_000;

    private final RabbitSettings settings;
    private final QueueLog queueLog;
    private final RingBuilder builder;
    private final ScheduledThreadPoolExecutor thread;
    private volatile boolean closed;

    // The fields below are used by the maintainer's thread only.
    private @Nullable Future<?> nextCheck;
    private @Nullable Connection connection;
    private @Nullable Channel countChannel;
    private DeclaredQueues queues;
    private boolean built;
    private boolean partsMissing;
    private String lastWarning = "";

    RingMaintainer(RabbitSettings settings, QueueLog queueLog, ThreadFactory threads) {
        this.settings = settings;
        this.queueLog = queueLog;
        this.builder = new RingBuilder(new RabbitConnector(settings, threads), settings, queueLog);
        this.thread = new ScheduledThreadPoolExecutor(1, threads);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
        this.queues = new DeclaredQueues(List.of(), false);
    }

    /**
     * Builds the ring and maintains it as long as the connection is open.
     *
     * @return completes after the first attempt, exceptionally if a part cannot be made as it is needed. Other failures
     *     are retried
     */
    CompletableFuture<Boolean> maintain(Connection on, DeclaredQueues declared) {
        CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                Future<?> scheduled = nextCheck;
                if (scheduled != null) {
                    scheduled.cancel(false);
                }
                connection = on;
                countChannel = null;
                boolean subQueuesAdded = declared.subQueuesAdded() || (queues.subQueuesAdded() && !built);
                queues = new DeclaredQueues(declared.names(), subQueuesAdded);
                built = false;
                check(firstAttempt);
            });
        } catch (RejectedExecutionException e) {
            firstAttempt.complete(false);
        }
        return firstAttempt;
    }

    private void check(CompletableFuture<Boolean> attempt) {
        Connection on = connection;
        if (closed || on == null || !on.isOpen()) {
            attempt.complete(false);
            return;
        }
        long waitMillis = CHECK_MILLIS;
        try {
            restore(on);
            lastWarning = "";
        } catch (CannotMoveException e) {
            waitMillis = RETRY_MOVE_MILLIS;
            warnOnce("messages in '" + QueueTopology.unroutedName(settings)
                    + "' cannot be moved to their sub-queues: " + e.getMessage()
                    + ". Their tasks wait, and later tasks of their keys may overtake them; retrying every "
                    + RETRY_MOVE_MILLIS / 1_000 + " s. Check that every sub-queue has a leader");
        } catch (RabbitTopologyException e) {
            waitMillis = RETRY_MILLIS;
            if (!attempt.completeExceptionally(e)) {
                warnOnce(String.valueOf(e.getMessage()));
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            waitMillis = RETRY_MILLIS;
            partsMissing |= BrokerErrors.replyCode(e) == BrokerErrors.NOT_FOUND;
            if (on.isOpen()) {
                warnOnce("cannot check or build the exchange '" + QueueTopology.ringExchange(settings) + "': "
                        + BrokerErrors.explain(e) + ". While it is missing, new messages wait in '"
                        + QueueTopology.unroutedName(settings) + "'; retrying every second");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        attempt.complete(built);
        if (!closed && !Thread.currentThread().isInterrupted()) {
            nextCheck = thread.schedule(() -> check(new CompletableFuture<>()), waitMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void restore(Connection on) throws IOException, TimeoutException, InterruptedException {
        if (partsMissing) {
            queues = new TopologyDeclarer(on, BrokerProduct.of(on.getServerProperties()), settings, queueLog).declare();
            partsMissing = false;
            built = false;
        }
        if (!built || countUnrouted(on) > 0) {
            build();
        }
    }

    private void build() throws IOException, TimeoutException, InterruptedException {
        try {
            built = builder.build(queues, () -> closed);
        } catch (CannotMoveException e) {
            built = true;
            throw e;
        } finally {
            if (built) {
                queues = new DeclaredQueues(queues.names(), false);
            }
        }
    }

    private int countUnrouted(Connection on) throws IOException {
        Channel current = countChannel;
        if (current == null || !current.isOpen()) {
            current = RabbitConnector.openChannel(on);
            countChannel = current;
        }
        return current.queueDeclarePassive(QueueTopology.unroutedName(settings)).getMessageCount();
    }

    private void warnOnce(String text) {
        if (!text.equals(lastWarning) && !closed) {
            lastWarning = text;
            queueLog.warn(text);
        }
    }

    /** Stops between two batches, within a few seconds. */
    void close() {
        closed = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
