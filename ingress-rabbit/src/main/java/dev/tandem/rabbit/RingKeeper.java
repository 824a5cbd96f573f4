package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.Declarer.Declared;
import dev.tandem.rabbit.Drain.StuckException;
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
 * Sees to it that an ordered queue has its {@link Ring}: at every connect, and whenever messages are unrouted, which it
 * looks for every few seconds. On a thread of its own, since moving many messages takes long.
 */
final class RingKeeper {

    private static final long LOOK_MILLIS = 3_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final long STUCK_MILLIS = 5_000;
    private static final long END_MILLIS = 2_000;

    private final RabbitSettings settings;
    private final Declarer.Notes notes;
    private final Ring ring;
    private final ScheduledThreadPoolExecutor thread;
    private volatile boolean ended;

    // The thread's own from here on.
    private @Nullable Future<?> next;
    private @Nullable Connection connection;
    private @Nullable Channel looking;
    private Declared declared;
    private boolean made;
    private boolean missing;
    private String said = "";

    RingKeeper(RabbitSettings settings, Declarer.Notes notes, ThreadFactory threads) {
        this.settings = settings;
        this.notes = notes;
        this.ring = new Ring(new Client(settings.uri(), threads), settings, notes);
        this.thread = new ScheduledThreadPoolExecutor(1, threads);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
        this.declared = new Declared(List.of(), false);
    }

    /**
     * Makes the ring and keeps it, as long as this connection is open.
     *
     * @return ends when it was tried; exceptionally if it can't be as it must. What else fails is tried again
     */
    CompletableFuture<Boolean> keep(Connection on, Declared now) {
        CompletableFuture<Boolean> tried = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                Future<?> later = next;
                if (later != null) {
                    later.cancel(false);
                }
                connection = on;
                looking = null;
                declared = new Declared(now.queues(), now.grown() || (declared.grown() && !made));
                made = false;
                tend(tried);
            });
        } catch (RejectedExecutionException e) {
            tried.complete(false);
        }
        return tried;
    }

    private void tend(CompletableFuture<Boolean> tried) {
        Connection on = connection;
        if (ended || on == null || !on.isOpen()) {
            tried.complete(false);
            return;
        }
        long wait = LOOK_MILLIS;
        try {
            if (missing) {
                declared = new Declarer(on, Broker.of(on.getServerProperties()), settings, notes).declare();
                missing = false;
                made = false;
            }
            if (!made || unrouted(on) > 0) {
                make();
            }
            said = "";
        } catch (StuckException e) {
            wait = STUCK_MILLIS;
            say("messages wait in '" + Topology.unroutedName(settings) + "' and can't be moved to their sub-queues: "
                    + e.getMessage() + "; others pass them by");
        } catch (RabbitTopologyException e) {
            wait = RETRY_MILLIS;
            if (!tried.completeExceptionally(e)) {
                say(String.valueOf(e.getMessage()));
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            wait = RETRY_MILLIS;
            missing |= Replies.code(e) == Replies.NOT_FOUND;
            if (on.isOpen()) {
                say("the exchange '" + Topology.ringName(settings) + "' can't be seen to: " + Replies.reason(e)
                        + "; what comes while it is missing waits in '" + Topology.unroutedName(settings) + "'");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tried.complete(made);
        if (!ended && !Thread.currentThread().isInterrupted()) {
            next = thread.schedule(() -> tend(new CompletableFuture<>()), wait, TimeUnit.MILLISECONDS);
        }
    }

    private void make() throws IOException, TimeoutException, InterruptedException {
        try {
            made = ring.make(declared, () -> ended);
        } catch (StuckException e) {
            made = true;
            throw e;
        } finally {
            if (made) {
                declared = new Declared(declared.queues(), false);
            }
        }
    }

    private int unrouted(Connection on) throws IOException {
        Channel current = looking;
        if (current == null || !current.isOpen()) {
            current = Client.channel(on);
            looking = current;
        }
        return current.queueDeclarePassive(Topology.unroutedName(settings)).getMessageCount();
    }

    private void say(String text) {
        if (!text.equals(said) && !ended) {
            said = text;
            notes.warn(text);
        }
    }

    /** Ends between two batches, within a few seconds. */
    void close() {
        ended = true;
        thread.shutdown();
        try {
            if (!thread.awaitTermination(END_MILLIS, TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
