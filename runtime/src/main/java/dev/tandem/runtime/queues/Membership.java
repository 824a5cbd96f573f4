package dev.tandem.runtime.queues;

import dev.tandem.executor.Executor;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.scheduler.DeathWatch;
import dev.tandem.scheduler.FixedName;
import dev.tandem.scheduler.RedisStore;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This executor among the others. It starts when no other process has its id, and ends the leases of executors that are
 * proven dead. Thread-safe.
 */
final class Membership {

    private static final Logger log = LoggerFactory.getLogger(Membership.class);

    private final Executor executor;
    private final DeathWatch deaths;
    private final @Nullable FixedName name;
    private final String fixedId;
    private boolean started;
    private boolean ended;
    private volatile @Nullable String problem;

    Membership(TandemSettings settings, RedisStore store, Executor executor, Collection<QueueSource> sources) {
        this.executor = executor;
        this.fixedId = settings.executor().id();
        this.deaths = store.deathWatch(
                executor.id(), settings.queues().keySet(), dead -> sources.forEach(source -> removeFrom(source, dead)));
        this.name = fixedId.isEmpty()
                ? null
                : store.fixedName(
                        deaths,
                        fixedId,
                        executor.id(),
                        settings.executor().lease().toMillis(),
                        new NameEvents());
    }

    /** Removes a dead executor from the group of a queue, where the broker assigns partitions. */
    private static void removeFrom(QueueSource source, String dead) {
        if (source.source() instanceof KafkaSource kafka) {
            kafka.removeMember(dead);
        }
    }

    /** Starts the executor: at once, or as soon as it holds its fixed id. */
    void start() {
        deaths.start();
        if (name == null) {
            begin();
        } else {
            name.start();
        }
    }

    private synchronized void begin() {
        if (!started && !ended) {
            started = true;
            executor.start();
        }
    }

    /** Returns why the executor does not run tasks; null if it does. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Stops the executor. Others go on with its partitions at once; its id is free when nothing of it runs any more. */
    void stop() {
        synchronized (this) {
            ended = true;
        }
        executor.stop();
        close(deaths);
        if (name != null) {
            close(name);
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.warn("Failed to close {}: {}", part.getClass().getSimpleName(), e.toString());
        }
    }

    private final class NameEvents implements FixedName.Listener {

        @Override
        public void held() {
            if (problem != null) {
                log.info("tandem.executor.id '{}' is free now: this process begins to run tasks", fixedId);
            }
            problem = null;
            // On a thread of its own, because the name must be kept meanwhile.
            runAside("tandem-start", Membership.this::begin);
        }

        @Override
        public void waiting(String holder) {
            if (problem == null) {
                problem = "tandem.executor.id is '" + fixedId + "', but another process with this id is alive ("
                        + holder + "): give each process an id of its own, or none";
                log.warn("This process runs no tasks until the other one has ended: {}", problem);
            }
        }

        @Override
        public void lost(String holder) {
            problem = "tandem.executor.id is '" + fixedId + "', and another process with this id (" + holder
                    + ") has taken over, since this one was silent: give each process an id of its own, or none, and"
                    + " restart this process";
            log.error("This process stops running tasks: {}", problem);
            runAside("tandem-superseded", executor::stop);
        }

        private static void runAside(String name, Runnable task) {
            Thread thread = new Thread(task, name);
            thread.setDaemon(false);
            thread.start();
        }
    }
}
