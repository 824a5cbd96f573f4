package dev.tandem.scheduler;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says every few seconds that this executor is there, and learns who else is: by that leases are shared. It hears when
 * one comes or leaves; and since that is only a hint, it beats twice a second while executors come and go.
 */
public final class Heartbeat implements AutoCloseable {

    private static final long FIRST_LOOK_SECONDS = 1;
    private static final long LAST_WORD_SECONDS = 2;

    private final Presence presence;
    private final String id;
    private final String host;
    private final Supplier<Map<String, Integer>> running;
    private final LiveExecutors live;
    private final Pace pace = new Pace(System.nanoTime() / 1_000_000);
    private @Nullable AutoCloseable watch;
    private final long startedAt = System.currentTimeMillis();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tandem-heartbeat");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Does nothing before {@link #start}.
     *
     * @param id this executor's, of no other process
     * @param running what runs now of each of its queues; asked on a thread of this heartbeat
     * @param live kept up to date
     */
    public Heartbeat(
            Presence presence, String id, String host, Supplier<Map<String, Integer>> running, LiveExecutors live) {
        this.presence = presence;
        this.id = id;
        this.host = host;
        this.running = running;
        this.live = live;
    }

    /** Waits a moment for the first look at the others, so that nothing is leased that they have a share in. Once. */
    public void start() {
        try {
            beat().get(FIRST_LOOK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            // Redis is away; then nothing can be leased either.
        }
        next();
        watch = presence.watch(this::look);
    }

    private void look() {
        if (!timer.isShutdown()) {
            Future<?> unused = presence.executors().thenAccept(live::update);
        }
    }

    private void next() {
        long delay = pace.nextMillis(System.nanoTime() / 1_000_000, live.ids());
        Future<?> unused = timer.schedule(
                () -> {
                    // Whatever becomes of this beat, another one follows.
                    next();
                    return beat();
                },
                delay,
                TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> beat() {
        // A beat that Redis did not hear is made up for by the next; the store says when Redis is away.
        return presence.beat(new Presence.Executor(id, host, startedAt, 0, running.get()))
                .thenCompose(done -> presence.executors())
                .thenAccept(live::update);
    }

    /** Says that this executor leaves. */
    @Override
    public void close() throws Exception {
        timer.shutdownNow();
        if (watch != null) {
            watch.close();
        }
        try {
            presence.leave(id).get(LAST_WORD_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // It is forgotten after a minute.
        }
    }
}
