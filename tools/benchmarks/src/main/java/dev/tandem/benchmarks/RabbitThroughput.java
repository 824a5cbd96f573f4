package dev.tandem.benchmarks;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.kit.Await;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures no-op tasks from filled RabbitMQ queues to the last ack, and compares with a bare consumer of the same
 * queues that acks each message. The two take turns, and the queues are filled anew for each.
 */
final class RabbitThroughput implements Scenario {

    private static final int TASKS = 60_000;
    private static final double PERCENT_OF_BARE = 80;
    private static final double REDIS_MICROS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private enum Variant {
        QUORUM("quorum queue, unordered", false, false, KeyDistribution.DISTINCT),
        CLASSIC("classic durable queue, unordered", true, false, KeyDistribution.DISTINCT),
        KEYED("by key, distinct keys", false, true, KeyDistribution.DISTINCT),
        ZIPF("by key, zipf keys", false, true, KeyDistribution.ZIPF);

        private final String text;
        private final boolean classic;
        private final boolean ordered;
        private final KeyDistribution keys;

        Variant(String text, boolean classic, boolean ordered, KeyDistribution keys) {
            this.text = text;
            this.classic = classic;
            this.ordered = ordered;
            this.keys = keys;
        }
    }

    @Override
    public String name() {
        return "rabbit";
    }

    @Override
    public String about() {
        return "no-op tasks per second from RabbitMQ, beside a bare consumer with manual acks";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(TASKS);
        measure(context, Variant.QUORUM, Math.max(1, tasks / 5), 1); // warms up
        List<Measurement> lines = new ArrayList<>();
        for (Variant variant : Variant.values()) {
            lines.addAll(measure(context, variant, tasks, context.sizes().rounds()));
        }
        return lines;
    }

    private static List<Measurement> measure(ScenarioContext context, Variant variant, int tasks, int rounds)
            throws Exception {
        List<Double> bare = new ArrayList<>();
        List<Double> tandem = new ArrayList<>();
        List<Double> redis = new ArrayList<>();
        RabbitSettings settings = settings(context, variant);
        try (RabbitQueues queues = new RabbitQueues(settings, variant.classic)) {
            declare(context, settings);
            for (int i = 0; i < rounds; i++) {
                queues.fill(variant.keys, tasks);
                bare.add(queues.bareConsumer(tasks, context));
                queues.fill(variant.keys, tasks);
                Throughput run = tandem(context, settings, tasks);
                tandem.add(run.perSecond());
                redis.add(run.redisMicros());
                if (queues.ready() != 0) {
                    throw new IllegalStateException(queues.ready() + " messages were not acked in the end");
                }
                context.say(
                        "%s: bare consumer %,.0f/s, Tandem %,.0f/s, Redis %.2f µs and %.0f bytes of its file per task,"
                                + " %.0f tasks per script",
                        variant.text,
                        bare.get(i),
                        run.perSecond(),
                        run.redisMicros(),
                        run.fileBytes(),
                        run.perScript());
            }
        }
        return lines("RabbitMQ, " + variant.text, Median.of(bare), Median.of(tandem), Median.of(redis));
    }

    private static List<Measurement> lines(String name, double bare, double tandem, double redisMicros) {
        return List.of(
                Measurement.withoutBudget(name + ": bare consumer", bare, "/s"),
                Measurement.withoutBudget(name + ": Tandem", tandem, "/s"),
                Measurement.of(
                        name + ": Tandem of the bare consumer",
                        100 * tandem / bare,
                        "%",
                        Budget.atLeast(PERCENT_OF_BARE)),
                Measurement.of(name + ": Redis's processor per task", redisMicros, "µs", Budget.atMost(REDIS_MICROS)));
    }

    private static RabbitSettings settings(ScenarioContext context, Variant variant) {
        String queue = context.uniqueName(variant.name());
        RabbitSettings settings =
                RabbitSettings.of(context.brokers().rabbit(), queue).withExchange(queue);
        return variant.ordered
                ? settings.orderedByHeader().withPartitions(context.sizes().partitions())
                : settings;
    }

    /** Has Tandem declare its queues and bindings. */
    private static void declare(ScenarioContext context, RabbitSettings settings) throws Exception {
        RabbitSource source = new RabbitSource(settings);
        try (TandemExecutor executor = TandemExecutor.start(
                context.brokers().redis(),
                context.sizes(),
                new TandemExecutor.Queue(settings.queue(), source, policy(context, settings), task -> Result.done()))) {
            Await.until(
                    LIMIT,
                    () -> executor.status().partitions() > 0,
                    () -> "Tandem did not reach its queues (" + source.status() + ")");
        }
    }

    private static QueuePolicy policy(ScenarioContext context, RabbitSettings settings) {
        int concurrency = context.sizes().concurrency();
        return settings.ordered() ? QueuePolicy.ordered(concurrency) : QueuePolicy.unordered(concurrency);
    }

    private static Throughput tandem(ScenarioContext context, RabbitSettings settings, int tasks) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        AtomicLong startedAt = new AtomicLong();
        AckCounter acks = new AckCounter();
        Handler handler = task -> {
            if (started.getCount() > 0) {
                startedAt.compareAndSet(0, System.nanoTime());
                started.countDown();
            }
            handled.increment();
            return Result.done();
        };
        try (RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor = TandemExecutor.start(
                        context.brokers().redis(),
                        context.sizes(),
                        new TandemExecutor.Queue(
                                settings.queue(),
                                acks.counting(new RabbitSource(settings)),
                                policy(context, settings),
                                handler))) {
            RedisStatistics.Usage before = redis.usage();
            started.await();
            Await.until(
                    LIMIT,
                    () -> {
                        context.progress("%,d of %,d acked", acks.count(), tasks);
                        return acks.count() >= tasks;
                    },
                    () -> "Only " + acks.count() + " of " + tasks + " tasks were acked (" + executor.status() + ")");
            double seconds = (System.nanoTime() - startedAt.get()) / 1e9;
            RedisStatistics.Usage used = redis.usage().since(before);
            if (handled.sum() > tasks) {
                context.say("%,d tasks ran more than once", handled.sum() - tasks);
            }
            return Throughput.of(tasks, seconds, used);
        }
    }
}
