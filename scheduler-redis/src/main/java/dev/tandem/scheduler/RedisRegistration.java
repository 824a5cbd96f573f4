package dev.tandem.scheduler;

import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The registration of an executor in Redis: its heartbeat, and a watch for the pauses of each of its queues. */
final class RedisRegistration implements Registration {

    private static final Logger log = LoggerFactory.getLogger(RedisRegistration.class);

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
