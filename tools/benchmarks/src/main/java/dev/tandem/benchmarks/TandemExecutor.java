package dev.tandem.benchmarks;

import dev.tandem.api.Handler;
import dev.tandem.executor.Executor;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.executor.StatisticsWriter;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.scheduler.EventFeed;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An executor with its store, set up as a program would do it. */
final class TandemExecutor implements AutoCloseable {

    /** For how long programs keep statistics by default. */
    private static final Duration KEPT = Duration.ofDays(14);

    /** Longer than any benchmark, since handlers that wait for its end must not be interrupted. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    /** A queue, whose handler takes tasks of every type. */
    record Queue(String name, String topic, Source source, QueuePolicy policy, Handler handler) {

        Queue(String name, Source source, QueuePolicy policy, Handler handler) {
            this(name, name, source, policy, handler);
        }
    }

    private final RedisStore store;
    private final Executor executor;
    private final StatisticsWriter statistics;

    private TandemExecutor(RedisStore store, Executor executor, StatisticsWriter statistics) {
        this.store = store;
        this.executor = executor;
        this.statistics = statistics;
    }

    static TandemExecutor start(String redis, BenchSizes sizes, Queue... queues) {
        return start(redis, sizes, Map.of(), queues);
    }

    /** @param events by queue; a queue without a policy has none */
    static TandemExecutor start(String redis, BenchSizes sizes, Map<String, EventPolicy> events, Queue... queues) {
        RedisStore store = RedisStore.open(RedisSettings.of(redis), Retention.DEFAULTS, events);
        StatisticsWriter statistics = new StatisticsWriter(
                Stream.of(queues).map(Queue::name).collect(Collectors.toSet()),
                (queue, tally) -> store.statistics().add(queue, tally, KEPT),
                ExecutorMetrics.NONE);
        Executor.Builder builder = Executor.builder()
                .id("bench")
                .metrics(statistics)
                .concurrency(List.of(queues).stream()
                        .mapToInt(queue -> queue.policy().concurrency())
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
        statistics.start();
        return new TandemExecutor(store, executor, statistics);
    }

    /** Starts one that runs the tasks of the topic of this name, as a queue of the same name. */
    static TandemExecutor ofTopic(ScenarioContext context, String topic, QueuePolicy policy, Handler handler) {
        Source source = new KafkaSource(KafkaSettings.of(context.brokers().kafka(), topic));
        return start(context.brokers().redis(), context.sizes(), new Queue(topic, source, policy, handler));
    }

    /** Returns the defaults with another lease, which is renewed four times in its time. */
    static CoreSettings settings(Duration lease) {
        return CoreSettings.builder().leaseMillis(lease.toMillis()).build();
    }

    /** Returns the events that are to be published. */
    EventFeed events() {
        return store.events();
    }

    /** Returns the status of its only or first queue. */
    QueueStatus status() {
        return executor.status().get(0);
    }

    @Override
    public void close() {
        executor.stop();
        statistics.close();
        store.close();
    }
}
