package dev.tandem.verify.worker;

import dev.tandem.scheduler.Presence;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Which executors share a queue whose broker assigns no partitions: as the server does it, by signs of life in Redis. */
final class Members {

    private static final long SILENT_MILLIS = 12_000;
    private static final long PATIENCE_SECONDS = 1;

    private final Presence presence;
    private final String id;
    private final String queue;
    private final long startedAt = System.currentTimeMillis();
    private volatile List<Presence.Executor> known = List.of();

    Members(Presence presence, String id, String queue) {
        this.presence = presence;
        this.id = id;
        this.queue = queue;
    }

    /** Says that this executor is there, and learns who else is. */
    void beat() {
        CompletableFuture<List<Presence.Executor>> answer = presence.beat(
                        new Presence.Executor(id, "localhost", startedAt, 0, Map.of(queue, 0)))
                .thenCompose(done -> presence.executors());
        try {
            known = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Redis is away; the next beat makes up for this one.
        }
    }

    void leave() {
        try {
            presence.leave(id).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // It is forgotten after a minute.
        }
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
}
