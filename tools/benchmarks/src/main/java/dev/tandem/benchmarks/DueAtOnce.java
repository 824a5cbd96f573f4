package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.kit.Await;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Measures how fast scheduled tasks are worked off that fall due all at once, without keys and with distinct ones. */
final class DueAtOnce implements Scenario {

    private static final int TASKS = 200_000;
    private static final int WARM_UP_TASKS = 50_000;
    private static final double BUDGET = 40_000;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The default of a queue of the server. */
    private static final int CONCURRENCY = 64;

    /** The tasks are due this long after the first is published, and later by the time that this many take. */
    private static final int AHEAD_MILLIS = 8_000;

    private static final int SCHEDULED_PER_MILLI = 12;
    private static final int MAX_TRIES = 4;

    @Override
    public String name() {
        return "due";
    }

    @Override
    public String about() {
        return "scheduled tasks per second that fall due all at once, without keys and with distinct keys";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(TASKS);
        List<Measurement> lines = new ArrayList<>();
        round(context, true, Math.min(tasks, WARM_UP_TASKS));
        for (boolean keyed : new boolean[] {false, true}) {
            List<Double> rates = new ArrayList<>();
            List<Double> redis = new ArrayList<>();
            for (int i = 0; i < context.sizes().rounds(); i++) {
                Throughput result = round(context, keyed, tasks);
                rates.add(result.perSecond());
                redis.add(result.redisMicros());
            }
            String what = "due at once, " + (keyed ? "distinct keys" : "without keys");
            lines.add(Measurement.of(what, Median.of(rates), "/s", Budget.atLeast(BUDGET)));
            lines.add(Measurement.withoutBudget(what + ": Redis's processor per task", Median.of(redis), "µs"));
        }
        return lines;
    }

    /** Measures with more time until the tasks are due, if a busy machine needs it. */
    private static Throughput round(ScenarioContext context, boolean keyed, int tasks) throws Exception {
        long aheadMillis = AHEAD_MILLIS + tasks / SCHEDULED_PER_MILLI;
        for (int i = 0; i < MAX_TRIES; i++, aheadMillis *= 2) {
            Optional<Throughput> result = round(context, keyed, tasks, aheadMillis);
            if (result.isPresent()) {
                return result.get();
            }
        }
        throw new IllegalStateException("Some tasks were due before Redis had all. Set a lower number of --tasks");
    }

    /** Returns nothing if some tasks were due before Redis had all. */
    private static Optional<Throughput> round(ScenarioContext context, boolean keyed, int tasks, long aheadMillis)
            throws Exception {
        LongAdder handled = new LongAdder();
        String queue = context.uniqueName("due");
        try (KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(), queue, context.sizes().partitions());
                RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor =
                        TandemExecutor.ofTopic(context, queue, QueuePolicy.ordered(CONCURRENCY), task -> {
                            handled.increment();
                            return Result.done();
                        })) {
            long due = System.currentTimeMillis() + aheadMillis;
            publish(topic, due, keyed, tasks);
            topic.awaitCommitted(KafkaTopic.group(queue), tasks, context);
            long early = due - System.currentTimeMillis();
            if (early <= 0 || handled.sum() > 0) {
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(early);
            long start = System.nanoTime();
            RedisStatistics.Usage before = redis.usage();
            Await.until(
                    LIMIT,
                    () -> {
                        context.progress("%,d of %,d handled", handled.sum(), tasks);
                        return handled.sum() >= tasks;
                    },
                    () -> "Only " + handled.sum() + " of " + tasks + " tasks ran (" + executor.status() + ")");
            double seconds = (System.nanoTime() - start) / 1e9;
            Throughput result = Throughput.of(tasks, seconds, redis.usage().since(before));
            context.say(
                    "%,d tasks %s: %,.0f/s, Redis %.2f µs per task, %.0f tasks per script",
                    tasks,
                    keyed ? "with distinct keys" : "without keys",
                    result.perSecond(),
                    result.redisMicros(),
                    result.perScript());
            return Optional.of(result);
        }
    }

    private static void publish(KafkaTopic topic, long due, boolean keyed, int tasks) {
        byte[] time = Long.toString(due).getBytes(StandardCharsets.UTF_8);
        try (KafkaProducer<String, byte[]> producer = topic.producer(5)) {
            for (int i = 0; i < tasks; i++) {
                @Nullable String key = keyed ? "key-" + i : null;
                ProducerRecord<String, byte[]> message =
                        new ProducerRecord<>(topic.name(), i % topic.partitions(), key, new byte[KafkaTopic.PAYLOAD]);
                message.headers().add("tandem-not-before", time);
                producer.send(message);
            }
        }
    }
}
