package dev.tandem.scheduler;

import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registration of an executor in Redis: its heartbeat, and a watch for the pauses of each of its queues. */
final class RedisRegistration implements Registration {

    private static final Logger log = LoggerFactory.getLogger(RedisRegistration.class);

    /** How long the loop of a queue has to say for how long its tasks have waited. */
    private static final long WAITS_MILLIS = 200;

    private static final CompletableFuture<Void> ANSWERED = CompletableFuture.completedFuture(null);

    /** The last questions about waits, by queue. */
    private final Map<String, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();

    private final LiveExecutors live = new LiveExecutors();
    private final Heartbeat heartbeat;
    private final List<AutoCloseable> pauses;
    private final AutoCloseable cancels;

    /** Registers the executor. Waits a moment until the others are known. */
    RedisRegistration(RedisStore store, Registrant executor) {
        heartbeat = new Heartbeat(
                store.presence(),
                executor.id(),
                Presence.localHost(),
                executor::shares,
                executor.handled(),
                executor::unhandled,
                executor::working,
                () -> oldestWaits(executor),
                live);
        pauses = executor.queues().stream()
                .map(queue -> store.watchPause(queue, new PauseListener() {
                    @Override
                    public void paused(OperatorPause paused) {
                        executor.paused(queue, paused);
                    }

                    @Override
                    public void pausedTasks(PausedTasks tasks) {
                        executor.pausedTasks(queue, tasks);
                    }
                }))
                .toList();
        cancels = store.runningTasks().listen(executor);
        heartbeat.start();
    }

    /** Asks all queues of an executor. One that does not answer soon is left out, and is not asked again before it has answered. */
    private CompletableFuture<Map<String, Map<String, Long>>> oldestWaits(Registrant executor) {
        Map<String, Map<String, Long>> all = new ConcurrentHashMap<>();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (String queue : executor.queues()) {
            if (asked.getOrDefault(queue, ANSWERED).isDone()) {
                CompletableFuture<Void> answer = executor.oldestWaits(queue)
                        .thenAccept(waits -> all.put(queue, waits))
                        .toCompletableFuture();
                asked.put(queue, answer);
                answers.add(answer.copy()
                        .orTimeout(WAITS_MILLIS, TimeUnit.MILLISECONDS)
                        .exceptionally(failure -> null));
            }
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> Map.copyOf(all));
    }

    @Override
    public Set<String> sharing(String queue) {
        return live.of(queue);
    }

    @Override
    public List<HandlerPeer> peers(String queue) {
        return live.announcing(queue);
    }

    @Override
    public void close() {
        pauses.forEach(RedisRegistration::close);
        close(cancels);
        close(heartbeat);
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.warn("Failed to end a {}: {}", part.getClass().getSimpleName(), e.toString());
        }
    }
}
