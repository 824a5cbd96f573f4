package dev.tandem.benchmarks;

import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * No-op tasks from a filled topic to the last commit, in order by key, beside a bare consumer loop and the parallel
 * consumer over the same records. All take turns, so that what the machine does meanwhile meets all of them.
 */
final class KafkaThroughput implements Scenario {

    private static final int TASKS = 500_000;
    private static final double OF_BARE = 60;
    private static final double REDIS_MICROS = 4;

    /**
     * What one run of Tandem came to.
     *
     * @param redisMicros Redis's processor time per task
     * @param perScript tasks for each script that ran at Redis
     */
    private record Run(double perSecond, double redisMicros, double perScript) {}

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String about() {
        return "no-op tasks per second from Kafka, in order by key, beside a bare loop and the parallel consumer";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        int tasks = lab.sizes().tasksOr(TASKS);
        List<Measured> lines = new ArrayList<>();
        try (KafkaTopic warm =
                new KafkaTopic(lab.kafka(), lab.name("warm"), lab.sizes().partitions())) {
            int few = Math.max(1, tasks / 5);
            warm.fill(Keys.ZIPF, few);
            round(lab, warm, few, new Rates());
        }
        for (Keys keys : Keys.values()) {
            int count = keys == Keys.ZIPF ? Math.max(1, tasks * 2 / 5) : tasks; // a hot key takes its time
            String label = keys.name().toLowerCase(Locale.ROOT);
            try (KafkaTopic topic =
                    new KafkaTopic(lab.kafka(), lab.name(label), lab.sizes().partitions())) {
                topic.fill(keys, count);
                Rates rates = new Rates();
                for (int i = 0; i < lab.sizes().rounds(); i++) {
                    round(lab, topic, count, rates);
                }
                lines.addAll(rates.lines("Kafka, " + label + " keys"));
            }
        }
        return lines;
    }

    private void round(Lab lab, KafkaTopic topic, int tasks, Rates rates) throws Exception {
        double bare = KafkaRivals.bareLoop(topic, lab.name("bare"), tasks);
        double rival = KafkaRivals.parallelConsumer(topic, lab.name("rival"), tasks, lab);
        Run tandem = tandem(lab, topic, tasks);
        lab.say(
                "%s: bare loop %,.0f/s, parallel consumer %,.0f/s, Tandem %,.0f/s, Redis %.2f µs per task, %.0f tasks per script",
                topic.name(), bare, rival, tandem.perSecond(), tandem.redisMicros(), tandem.perScript());
        rates.bare.add(bare);
        rates.rival.add(rival);
        rates.tandem.add(tandem.perSecond());
        rates.redis.add(tandem.redisMicros());
    }

    private static Run tandem(Lab lab, KafkaTopic topic, int tasks) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        String queue = lab.name("tandem");
        try (RedisNumbers redis = new RedisNumbers(lab.redis());
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(
                                queue,
                                topic.name(),
                                new KafkaSource(
                                        KafkaSettings.of(lab.kafka(), queue).withTopic(topic.name())),
                                QueuePolicy.ordered(lab.sizes().concurrency()),
                                task -> {
                                    started.countDown();
                                    handled.increment();
                                    return Result.done();
                                }))) {
            started.await();
            long start = System.nanoTime();
            double cpu = redis.processorMicros();
            long scripts = redis.scripts();
            topic.awaitCommitted(KafkaTopic.group(queue), tasks, lab);
            double seconds = (System.nanoTime() - start) / 1e9;
            double micros = (redis.processorMicros() - cpu) / tasks;
            if (handled.sum() < tasks) {
                throw new IllegalStateException("Handled only " + handled.sum() + " of " + tasks);
            } else if (handled.sum() > tasks) {
                lab.say("%,d tasks ran more than once", handled.sum() - tasks);
            }
            double perScript = tasks / (double) Math.max(1, redis.scripts() - scripts);
            return new Run(tasks / seconds, micros, perScript);
        }
    }

    /** Of all rounds. */
    private static final class Rates {
        private final List<Double> bare = new ArrayList<>();
        private final List<Double> rival = new ArrayList<>();
        private final List<Double> tandem = new ArrayList<>();
        private final List<Double> redis = new ArrayList<>();

        List<Measured> lines(String what) {
            double ours = Medians.of(tandem);
            return List.of(
                    Measured.told(what + ": bare loop", Medians.of(bare), "/s"),
                    Measured.told(what + ": parallel consumer", Medians.of(rival), "/s"),
                    Measured.of(what + ": Tandem", ours, "/s", Budget.atLeast(Medians.of(rival))),
                    Measured.of(
                            what + ": Tandem of the bare loop",
                            100 * ours / Medians.of(bare),
                            "%",
                            Budget.atLeast(OF_BARE)),
                    Measured.of(
                            what + ": Redis's processor per task",
                            Medians.of(redis),
                            "µs",
                            Budget.atMost(REDIS_MICROS)));
        }
    }
}
