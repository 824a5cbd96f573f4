package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.kafka.KafkaEventPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.scheduler.EventFeed;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Measures no-op tasks from a filled topic to the last commit, with and without events of their successes in turn. The events are
 * published to another topic of the same broker meanwhile, on one thread, as a server does.
 */
final class EventRate implements Scenario {

    private static final int TASKS = 200_000;
    private static final int BATCH_BYTES = 256 << 10;
    private static final EventPolicy SUCCESSES = new EventPolicy(Set.of(EventKind.SUCCEEDED), 256 << 20, false);

    @Override
    public String name() {
        return "events";
    }

    @Override
    public String about() {
        return "no-op tasks per second from Kafka with and without events of their successes";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(TASKS);
        List<Double> without = new ArrayList<>();
        List<Double> with = new ArrayList<>();
        try (KafkaTopic topic = new KafkaTopic(
                context.brokers().kafka(),
                context.uniqueName("told"),
                context.sizes().partitions())) {
            topic.fill(KeyDistribution.DISTINCT, tasks);
            run(context, topic, tasks, false);
            for (int i = 0; i < context.sizes().rounds(); i++) {
                without.add(run(context, topic, tasks, false));
                with.add(run(context, topic, tasks, true));
            }
        }
        return List.of(
                Measurement.withoutBudget("Kafka, distinct keys: without events", Median.of(without), "/s"),
                Measurement.withoutBudget("Kafka, distinct keys: with events", Median.of(with), "/s"));
    }

    private static double run(ScenarioContext context, KafkaTopic topic, int tasks, boolean events) throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        String queue = context.uniqueName("tandem");
        String kafka = context.brokers().kafka();
        KafkaSource source = new KafkaSource(KafkaSettings.of(kafka, queue).withTopic(topic.name()));
        QueuePolicy policy = QueuePolicy.ordered(context.sizes().concurrency());
        KafkaSettings told = KafkaSettings.of(kafka, queue).withTopic("tandem-events." + queue);
        try (RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor = TandemExecutor.start(
                        context.brokers().redis(),
                        context.sizes(),
                        events ? Map.of(queue, SUCCESSES) : Map.of(),
                        new TandemExecutor.Queue(queue, topic.name(), source, policy, task -> {
                            started.countDown();
                            return Result.done();
                        }));
                Publishing publishing = new Publishing(executor.events(), new KafkaEventPublisher(told))) {
            publishing.start();
            started.await();
            long start = System.nanoTime();
            RedisStatistics.Usage before = redis.usage();
            topic.awaitCommitted(KafkaTopic.group(queue), tasks, context);
            Throughput rate = Throughput.of(
                    tasks, (System.nanoTime() - start) / 1e9, redis.usage().since(before));
            long atCommit = publishing.published.sum();
            while (events && publishing.published.sum() < tasks) {
                Thread.sleep(1);
            }
            context.say(
                    "%s: %,.0f/s, Redis %.2f µs and %.0f bytes of its file per task, %.0f tasks per script,"
                            + " %,d events published at the last commit, all after %.1f s",
                    events ? "With events" : "Without events",
                    rate.perSecond(),
                    rate.redisMicros(),
                    rate.fileBytes(),
                    rate.perScript(),
                    atCommit,
                    (System.nanoTime() - start) / 1e9);
            return rate.perSecond();
        }
    }

    /** Publishes on one thread what is recorded. */
    private static final class Publishing implements AutoCloseable {
        private final EventFeed feed;
        private final KafkaEventPublisher publisher;
        private final BlockingQueue<Partition> heard = new LinkedBlockingQueue<>();
        private final LongAdder published = new LongAdder();
        private final Thread thread = new Thread(this::publish, "events");

        Publishing(EventFeed feed, KafkaEventPublisher publisher) {
            this.feed = feed;
            this.publisher = publisher;
        }

        void start() {
            thread.setDaemon(true);
            thread.start();
            feed.listen(heard::add);
        }

        private void publish() {
            try {
                while (true) {
                    Partition next = heard.take();
                    heard.removeIf(next::equals);
                    publishAll(next);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void publishAll(Partition partition) {
            EventFeed.@Nullable Batch batch = null;
            do {
                batch = feed.take(partition, batch, BATCH_BYTES).join();
                if (!batch.events().isEmpty()) {
                    publisher.publish(batch.events().stream()
                            .map(event -> EventMessage.of("bench", event, null))
                            .toList());
                    published.add(batch.events().size());
                }
            } while (!batch.events().isEmpty());
        }

        @Override
        public void close() throws InterruptedException {
            thread.interrupt();
            thread.join(5_000);
            publisher.close();
        }
    }
}
