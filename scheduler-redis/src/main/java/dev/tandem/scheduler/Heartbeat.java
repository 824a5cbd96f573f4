package dev.tandem.scheduler;

import dev.tandem.task.store.HandledTypes;
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
 * Registers this executor every few seconds with the queues that it takes its share of, and reads which others are alive.
 * The assignment of partitions uses that. Changes are announced at once. Because announcements may be missed, it beats
 * twice a second while executors come and go.
 */
final class Heartbeat implements AutoCloseable {

    private static final long TICK_MILLIS = 250;
    private static final long FIRST_BEAT_SECONDS = 1;
    private static final long LEAVE_SECONDS = 2;

    private final Presence presence;
    private final String id;
    private final String host;
    private final Supplier<Map<String, Integer>> shares;
    private final Map<String, HandledTypes> handled;
    private final Supplier<Map<String, HandledTypes>> unhandled;
    private final Supplier<Set<String>> working;
    private final Supplier<CompletableFuture<Map<String, Map<String, Long>>>> waits;
    private final LiveExecutors live;
    private final HeartbeatSchedule schedule = new HeartbeatSchedule(System.nanoTime() / 1_000_000);
    private @Nullable AutoCloseable watch;
    /** Whether Redis may have types without a handler from an earlier heartbeat. */
    private volatile boolean sentUnhandled;
    /** The queues in the last heartbeat. */
    private Set<String> sentQueues = Set.of();
    /** The last heartbeat, which may be on its way. */
    private volatile CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    private final long startedAt = System.currentTimeMillis();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tandem-heartbeat");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Creates a heartbeat, which does nothing before {@link #start}.
     *
     * @param id of this executor, unique per process start
     * @param shares supplies the count of running tasks of each queue that this executor takes its share of; called often,
     *     on a thread of this heartbeat
     * @param handled what this executor has handlers for, of each queue
     * @param unhandled supplies the types for which this executor had no handler lately, of each queue that has any
     * @param working supplies the queues of which this executor holds partitions and in which it has no problem
     * @param waits supplies for how long its oldest tasks have waited that could start, by queue and partition; completes soon
     * @param live is kept up to date
     */
    Heartbeat(
            Presence presence,
            String id,
            String host,
            Supplier<Map<String, Integer>> shares,
            Map<String, HandledTypes> handled,
            Supplier<Map<String, HandledTypes>> unhandled,
            Supplier<Set<String>> working,
            Supplier<CompletableFuture<Map<String, Map<String, Long>>>> waits,
            LiveExecutors live) {
        this.presence = presence;
        this.id = id;
        this.host = host;
        this.shares = shares;
        this.handled = handled;
        this.unhandled = unhandled;
        this.working = working;
        this.waits = waits;
        this.live = live;
    }

    /** Starts, once. Waits a moment until the other executors are known, so that this one takes no more than its share. */
    void start() {
        try {
            beat(shares.get()).get(FIRST_BEAT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            // Without Redis no partition can be acquired either.
        }
        scheduleNext();
        watch = presence.watch(this::refresh);
    }

    private void refresh() {
        if (!timer.isShutdown()) {
            Future<?> unused = learn();
        }
    }

    private void scheduleNext() {
        Future<?> unused = timer.schedule(
                () -> {
                    // First, so that another heartbeat follows even if this one fails.
                    scheduleNext();
                    Map<String, Integer> now = shares.get();
                    boolean due = schedule.isDue(System.nanoTime() / 1_000_000, live.ids());
                    return due || !now.keySet().equals(sentQueues) ? beatWithWaits(now) : null;
                },
                TICK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> beat(Map<String, Integer> now) {
        boolean changed = !now.keySet().equals(sentQueues);
        sentQueues = Set.copyOf(now.keySet());
        // A failed heartbeat is made up for by the next one. The store reports that Redis cannot be reached.
        CompletableFuture<Void> beat = presence.announceHandlers(id, handled)
                .thenCompose(done -> presence.beat(new Presence.Executor(id, host, startedAt, 0, now), changed))
                .thenCompose(done -> presence.announceWorking(id, working.get()))
                .thenCompose(done -> announceUnhandled(unhandled.get()))
                .thenCompose(done -> learn());
        last = beat;
        return beat;
    }

    /** Beats, and tells for how long tasks have waited. Not at the start, when no queue can answer yet. */
    private CompletableFuture<Void> beatWithWaits(Map<String, Integer> now) {
        CompletableFuture<Void> beat =
                beat(now).thenCompose(done -> waits.get()).thenCompose(oldest -> presence.announceWaits(id, oldest));
        last = beat;
        return beat;
    }

    private CompletableFuture<Void> announceUnhandled(Map<String, HandledTypes> missing) {
        if (missing.isEmpty() && !sentUnhandled) {
            return CompletableFuture.completedFuture(null);
        }
        sentUnhandled = true;
        return presence.announceUnhandled(id, missing).thenAccept(done -> sentUnhandled = !missing.isEmpty());
    }

    /** Reads which executors are alive and at work, and what those that came have handlers for. */
    private CompletableFuture<Void> learn() {
        return presence.executors()
                .thenCompose(executors -> {
                    live.update(executors);
                    return presence.handlers(live.withUnknownHandlers());
                })
                .thenCompose(handlers -> {
                    live.learn(handlers);
                    return presence.working(live.ids());
                })
                .thenAccept(live::working);
    }

    /** Stops, and removes this executor from the registry. */
    @Override
    public void close() throws Exception {
        timer.shutdownNow();
        if (watch != null) {
            watch.close();
        }
        try {
            // A heartbeat on its way would register this executor again.
            boolean begunAll = timer.awaitTermination(LEAVE_SECONDS, TimeUnit.SECONDS);
            last.handle((done, failure) -> begunAll)
                    .thenCompose(done -> presence.leave(id))
                    .get(LEAVE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Redis forgets this executor after a minute.
        }
    }
}
