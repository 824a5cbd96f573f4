package dev.tandem.benchmarks;

import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
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
 * No-op tasks from filled RabbitMQ queues to the last ack, beside a bare consumer of the same queues that acks each
 * message by hand. Both take turns, and the queues are filled anew for each.
 */
final class RabbitThroughput implements Scenario {

    private static final int TASKS = 60_000;
    private static final double OF_BARE = 80;
    private static final double REDIS_MICROS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private enum Variant {
        QUORUM("quorum queue, unordered", false, false, Keys.DISTINCT),
        CLASSIC("classic durable queue, unordered", true, false, Keys.DISTINCT),
        KEYED("by key, distinct keys", false, true, Keys.DISTINCT),
        ZIPF("by key, zipf keys", false, true, Keys.ZIPF);

        private final String text;
        private final boolean classic;
        private final boolean ordered;
        private final Keys keys;

        Variant(String text, boolean classic, boolean ordered, Keys keys) {
            this.text = text;
            this.classic = classic;
            this.ordered = ordered;
            this.keys = keys;
        }
    }

    /**
     * What one run of Tandem came to.
     *
     * @param redisMicros Redis's processor time per task
     * @param perScript tasks for each script that ran at Redis
     */
    private record Run(double perSecond, double redisMicros, double perScript) {}

    @Override
    public String name() {
        return "rabbit";
    }

    @Override
    public String about() {
        return "no-op tasks per second from RabbitMQ, beside a bare consumer with manual acks";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        int tasks = lab.sizes().tasksOr(TASKS);
        measure(lab, Variant.QUORUM, Math.max(1, tasks / 5), 1); // warms up
        List<Measured> lines = new ArrayList<>();
        for (Variant variant : Variant.values()) {
            lines.addAll(measure(lab, variant, tasks, lab.sizes().rounds()));
        }
        return lines;
    }

    private static List<Measured> measure(Lab lab, Variant variant, int tasks, int rounds) throws Exception {
        List<Double> bare = new ArrayList<>();
        List<Double> ours = new ArrayList<>();
        List<Double> redis = new ArrayList<>();
        RabbitSettings settings = settings(lab, variant);
        try (RabbitQueues queues = new RabbitQueues(settings, variant.classic)) {
            declare(lab, settings);
            for (int i = 0; i < rounds; i++) {
                queues.fill(variant.keys, tasks);
                bare.add(queues.bareConsumer(tasks, lab));
                queues.fill(variant.keys, tasks);
                Run run = tandem(lab, settings, tasks);
                ours.add(run.perSecond());
                redis.add(run.redisMicros());
                if (queues.left() != 0) {
                    throw new IllegalStateException(queues.left() + " messages were not acked in the end");
                }
                lab.say(
                        "%s: bare consumer %,.0f/s, Tandem %,.0f/s, Redis %.2f µs per task, %.0f tasks per script",
                        variant.text, bare.get(i), run.perSecond(), run.redisMicros(), run.perScript());
            }
        }
        String what = "RabbitMQ, " + variant.text;
        double tandem = Medians.of(ours);
        return List.of(
                Measured.told(what + ": bare consumer", Medians.of(bare), "/s"),
                Measured.told(what + ": Tandem", tandem, "/s"),
                Measured.of(
                        what + ": Tandem of the bare consumer",
                        100 * tandem / Medians.of(bare),
                        "%",
                        Budget.atLeast(OF_BARE)),
                Measured.of(
                        what + ": Redis's processor per task", Medians.of(redis), "µs", Budget.atMost(REDIS_MICROS)));
    }

    private static RabbitSettings settings(Lab lab, Variant variant) {
        String queue = lab.name(variant.name());
        RabbitSettings settings = RabbitSettings.of(lab.rabbit(), queue).withExchange(queue);
        return variant.ordered
                ? settings.orderedByHeader().withPartitions(lab.sizes().partitions())
                : settings;
    }

    /** Has Tandem make its queues and bindings. */
    private static void declare(Lab lab, RabbitSettings settings) throws Exception {
        RabbitSource source = new RabbitSource(settings);
        try (Tandem tandem = Tandem.start(
                lab.redis(),
                lab.sizes(),
                new Tandem.Queue(settings.queue(), source, policy(lab, settings), task -> Result.done()))) {
            Patience.await(
                    PATIENCE,
                    () -> tandem.status().partitions() > 0,
                    () -> "Tandem did not get to its queues, " + source.status());
        }
    }

    private static QueuePolicy policy(Lab lab, RabbitSettings settings) {
        int concurrency = lab.sizes().concurrency();
        return settings.ordered() ? QueuePolicy.ordered(concurrency) : QueuePolicy.unordered(concurrency);
    }

    private static Run tandem(Lab lab, RabbitSettings settings, int tasks) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        AtomicLong startedAt = new AtomicLong();
        CountedAcks acks = new CountedAcks();
        Handler handler = task -> {
            if (started.getCount() > 0) {
                startedAt.compareAndSet(0, System.nanoTime());
                started.countDown();
            }
            handled.increment();
            return Result.done();
        };
        try (RedisNumbers redis = new RedisNumbers(lab.redis());
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(
                                settings.queue(),
                                acks.around(new RabbitSource(settings)),
                                policy(lab, settings),
                                handler))) {
            double cpu = redis.processorMicros();
            long scripts = redis.scripts();
            started.await();
            Patience.await(
                    PATIENCE,
                    () -> {
                        lab.progress("%,d of %,d acked", acks.sum(), tasks);
                        return acks.sum() >= tasks;
                    },
                    () -> "Only " + acks.sum() + " of " + tasks + " were acked, " + tandem.status());
            double seconds = (System.nanoTime() - startedAt.get()) / 1e9;
            double micros = (redis.processorMicros() - cpu) / tasks;
            if (handled.sum() > tasks) {
                lab.say("%,d tasks ran more than once", handled.sum() - tasks);
            }
            double perScript = tasks / (double) Math.max(1, redis.scripts() - scripts);
            return new Run(tasks / seconds, micros, perScript);
        }
    }
}
