package dev.tandem.benchmarks;

import dev.tandem.executor.Executor;
import dev.tandem.executor.Handler;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.time.Duration;
import java.util.List;

/** An executor with its store, as a program sets it up. */
final class Tandem implements AutoCloseable {

    /** Handlers that wait for the end of a benchmark must not be interrupted before it. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    /** One queue of it, whose handler takes tasks of every type. */
    record Queue(String name, String topic, Source source, QueuePolicy policy, Handler handler) {

        Queue(String name, Source source, QueuePolicy policy, Handler handler) {
            this(name, name, source, policy, handler);
        }
    }

    private final RedisStore store;
    private final Executor executor;

    private Tandem(RedisStore store, Executor executor) {
        this.store = store;
        this.executor = executor;
    }

    static Tandem start(String redis, Sizes sizes, Queue... queues) {
        RedisStore store = RedisStore.open(RedisSettings.of(redis));
        Executor.Builder builder = Executor.builder()
                .id("bench")
                .concurrency(List.of(queues).stream()
                        .mapToInt(q -> q.policy().concurrency())
                        .sum())
                .settings(settings(sizes.lease()));
        for (Queue queue : queues) {
            builder.queue(QueueSpec.queue(queue.name())
                    .source(queue.source())
                    .store(store)
                    .policy(queue.policy())
                    .topic(queue.topic())
                    .timeout(TIMEOUT)
                    .fallback(queue.handler())
                    .build());
        }
        Executor executor = builder.build();
        executor.start();
        return new Tandem(store, executor);
    }

    /** The defaults, but for the lease, and its renewals with it. */
    static CoreSettings settings(Duration lease) {
        CoreSettings usual = CoreSettings.DEFAULTS;
        return new CoreSettings(
                lease.toMillis(),
                lease.toMillis() / 4,
                usual.horizonMillis(),
                usual.probeMillis(),
                usual.batchSize(),
                usual.batchesInFlight(),
                usual.commitMillis(),
                usual.retryMillis());
    }

    /** Of its only queue, or its first. */
    QueueStatus status() {
        return executor.status().get(0);
    }

    List<QueueStatus> statuses() {
        return executor.status();
    }

    @Override
    public void close() {
        executor.stop();
        store.close();
    }
}
