package dev.tandem.scheduler;

import java.util.Map;
import java.util.Set;
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
 * Says every few seconds that this executor is there and what it takes its share of, and learns who else is: by that
 * leases are shared. What changes is said at once, and heard at once; since that is only a hint, it beats twice a second
 * while executors come and go.
 */
public final class Heartbeat implements AutoCloseable {

    private static final long LOOK_MILLIS = 250;
    private static final long FIRST_LOOK_SECONDS = 1;
    private static final long LAST_WORD_SECONDS = 2;

    private final Presence presence;
    private final String id;
    private final String host;
    private final Supplier<Map<String, Integer>> shares;
    private final LiveExecutors live;
    private final Pace pace = new Pace(System.nanoTime() / 1_000_000);
    private @Nullable AutoCloseable watch;
    /** The queues that were told last. */
    private Set<String> told = Set.of();

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
     * @param shares what runs now of each queue that it takes its share of; asked often, on a thread of this heartbeat
     * @param live kept up to date
     */
    public Heartbeat(
            Presence presence, String id, String host, Supplier<Map<String, Integer>> shares, LiveExecutors live) {
        this.presence = presence;
        this.id = id;
        this.host = host;
        this.shares = shares;
        this.live = live;
    }

    /** Waits a moment for the first look at the others, so that nothing is leased that they have a share in. Once. */
    public void start() {
        try {
            beat(shares.get()).get(FIRST_LOOK_SECONDS, TimeUnit.SECONDS);
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
        Future<?> unused = timer.schedule(
                () -> {
                    // Whatever becomes of this beat, another one follows.
                    next();
                    Map<String, Integer> now = shares.get();
                    boolean due = pace.isDue(System.nanoTime() / 1_000_000, live.ids());
                    return due || !now.keySet().equals(told) ? beat(now) : null;
                },
                LOOK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> beat(Map<String, Integer> now) {
        boolean changed = !now.keySet().equals(told);
        told = Set.copyOf(now.keySet());
        // A beat that Redis did not hear is made up for by the next; the store says when Redis is away.
        return presence.beat(new Presence.Executor(id, host, startedAt, 0, now), changed)
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
