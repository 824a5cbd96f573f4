package dev.tandem.verify.worker;

import dev.tandem.scheduler.Presence;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which executors share a queue whose broker assigns no partitions. Signs of life in Redis at the server's pace: twice a
 * second while executors come and go, else every two and a half seconds; who was silent for eight is taken for dead.
 */
final class Members implements AutoCloseable {

    private static final long SILENT_MILLIS = 8_000;
    private static final long OFTEN_MILLIS = 500;
    private static final long SELDOM_MILLIS = 2_500;
    private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PATIENCE_SECONDS = 1;

    private final Presence presence;
    private final String id;
    private final String queue;
    private final long startedAt = System.currentTimeMillis();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "verify-members");
        thread.setDaemon(true);
        return thread;
    });
    private volatile List<Presence.Executor> known = List.of();
    private Set<String> before = Set.of();
    private long changedAt = System.nanoTime();
    private @Nullable AutoCloseable watch;

    Members(Presence presence, String id, String queue) {
        this.presence = presence;
        this.id = id;
        this.queue = queue;
    }

    /** Begins; the others are known when it returns, if Redis answers. */
    void start() {
        try {
            beat().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Redis is away; then nothing can be leased either.
        }
        next();
        watch = presence.watch(this::look);
    }

    private void look() {
        if (!timer.isShutdown()) {
            var unused = presence.executors().thenAccept(all -> known = all);
        }
    }

    private void next() {
        Set<String> now = known.stream().map(Presence.Executor::id).collect(Collectors.toSet());
        if (!now.equals(before)) {
            before = now;
            changedAt = System.nanoTime();
        }
        boolean young = System.nanoTime() - changedAt < YOUNG_NANOS;
        Future<?> unused = timer.schedule(
                () -> {
                    next();
                    return beat();
                },
                young ? OFTEN_MILLIS : SELDOM_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> beat() {
        return presence.beat(new Presence.Executor(id, "localhost", startedAt, 0, Map.of(queue, 0)))
                .thenCompose(done -> presence.executors())
                .thenAccept(all -> known = all);
    }

    Set<String> live() {
        List<Presence.Executor> now = known;
        long latest = now.stream().mapToLong(Presence.Executor::lastSeen).max().orElse(0);
        return now.stream()
                .filter(each -> each.lastSeen() >= latest - SILENT_MILLIS
                        && each.running().containsKey(queue))
                .map(Presence.Executor::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Says that this executor leaves. */
    @Override
    public void close() {
        timer.shutdownNow();
        try {
            if (watch != null) {
                watch.close();
            }
            presence.leave(id).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // It is forgotten after a minute.
        }
    }
}
