package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures no-op tasks from a filled topic to the last commit, in order by key, and compares with a bare consumer loop
 * and the parallel consumer over the same records. The three take turns, so that a disturbance of the machine affects
 * all of them.
 */
final class KafkaThroughput implements Scenario {

    private static final int TASKS = 500_000;
    private static final double PERCENT_OF_BARE = 60;
    private static final double REDIS_MICROS = 4;

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String about() {
        return "no-op tasks per second from Kafka, in order by key, beside a bare loop and the parallel consumer";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(TASKS);
        warmUp(context, Math.max(1, tasks / 5));
        List<Measurement> lines = new ArrayList<>();
        for (KeyDistribution keys : KeyDistribution.values()) {
            // A hot key takes longer.
            int count = keys == KeyDistribution.ZIPF ? Math.max(1, tasks * 2 / 5) : tasks;
            String label = keys.name().toLowerCase(Locale.ROOT);
            try (KafkaTopic topic = topic(context, label)) {
                topic.fill(keys, count);
                Rates rates = new Rates();
                for (int i = 0; i < context.sizes().rounds(); i++) {
                    round(context, topic, count, rates);
                }
                lines.addAll(rates.lines("Kafka, " + label + " keys"));
            }
        }
        return lines;
    }

    private static void warmUp(ScenarioContext context, int tasks) throws Exception {
        try (KafkaTopic topic = topic(context, "warm")) {
            topic.fill(KeyDistribution.ZIPF, tasks);
            round(context, topic, tasks, new Rates());
        }
    }

    private static KafkaTopic topic(ScenarioContext context, String prefix) throws Exception {
        return new KafkaTopic(
                context.brokers().kafka(),
                context.uniqueName(prefix),
                context.sizes().partitions());
    }

    private static void round(ScenarioContext context, KafkaTopic topic, int tasks, Rates rates) throws Exception {
        double bare = KafkaBaselines.bareLoop(topic, context.uniqueName("bare"), tasks);
        double rival = KafkaBaselines.parallelConsumer(topic, context.uniqueName("rival"), tasks, context);
        Throughput tandem = tandem(context, topic, tasks);
        context.say(
                "%s: bare loop %,.0f/s, parallel consumer %,.0f/s, Tandem %,.0f/s,"
                        + " Redis %.2f µs and %.0f bytes of its file per task, %.0f tasks per script",
                topic.name(),
                bare,
                rival,
                tandem.perSecond(),
                tandem.redisMicros(),
                tandem.fileBytes(),
                tandem.perScript());
        rates.bare.add(bare);
        rates.rival.add(rival);
        rates.tandem.add(tandem.perSecond());
        rates.redis.add(tandem.redisMicros());
    }

    private static Throughput tandem(ScenarioContext context, KafkaTopic topic, int tasks) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        String queue = context.uniqueName("tandem");
        KafkaSource source = new KafkaSource(
                KafkaSettings.of(context.brokers().kafka(), queue).withTopic(topic.name()));
        QueuePolicy policy = QueuePolicy.ordered(context.sizes().concurrency());
        try (RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor = TandemExecutor.start(
                        context.brokers().redis(),
                        context.sizes(),
                        new TandemExecutor.Queue(queue, topic.name(), source, policy, task -> {
                            started.countDown();
                            handled.increment();
                            return Result.done();
                        }))) {
            started.await();
            long start = System.nanoTime();
            RedisStatistics.Usage before = redis.usage();
            topic.awaitCommitted(KafkaTopic.group(queue), tasks, context);
            double seconds = (System.nanoTime() - start) / 1e9;
            RedisStatistics.Usage used = redis.usage().since(before);
            if (handled.sum() < tasks) {
                throw new IllegalStateException("Only " + handled.sum() + " of " + tasks + " tasks were handled");
            } else if (handled.sum() > tasks) {
                context.say("%,d tasks ran more than once", handled.sum() - tasks);
            }
            return Throughput.of(tasks, seconds, used);
        }
    }

    /** The results of all rounds. */
    private static final class Rates {
        private final List<Double> bare = new ArrayList<>();
        private final List<Double> rival = new ArrayList<>();
        private final List<Double> tandem = new ArrayList<>();
        private final List<Double> redis = new ArrayList<>();

        List<Measurement> lines(String name) {
            double perSecond = Median.of(tandem);
            return List.of(
                    Measurement.withoutBudget(name + ": bare loop", Median.of(bare), "/s"),
                    Measurement.withoutBudget(name + ": parallel consumer", Median.of(rival), "/s"),
                    Measurement.of(name + ": Tandem", perSecond, "/s", Budget.atLeast(Median.of(rival))),
                    Measurement.of(
                            name + ": Tandem of the bare loop",
                            100 * perSecond / Median.of(bare),
                            "%",
                            Budget.atLeast(PERCENT_OF_BARE)),
                    Measurement.of(
                            name + ": Redis's processor per task",
                            Median.of(redis),
                            "µs",
                            Budget.atMost(REDIS_MICROS)));
        }
    }
}
