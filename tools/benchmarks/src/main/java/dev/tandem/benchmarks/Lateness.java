package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.kit.Await;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.Percentiles;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Measures how late scheduled tasks start: from the millisecond when they are due to the first line of their handler.
 */
final class Lateness implements Scenario {

    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(15);
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int CONCURRENCY = 256;
    private static final int PARTITIONS = 4;

    /** A header with the due time for the handler, which does not see Tandem's own headers. */
    private static final String DUE = "due";

    /** Tasks are due this long after they are published, plus up to a second. */
    private static final int AHEAD_MILLIS = 3_000;

    private static final int TICK_MILLIS = 20;

    /** The share of tasks at the beginning of a run that do not count, since the code is not warm yet. */
    private static final double WARM_UP = 0.2;

    @Override
    public String name() {
        return "lateness";
    }

    @Override
    public String about() {
        return "how late scheduled tasks start, at 500 and 5,000 a second";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Measurement> lines = new ArrayList<>();
        lines.addAll(at(context, 500, true, 4.0));
        lines.addAll(at(context, 5_000, true, 20.0));
        lines.addAll(at(context, 500, false, null));
        return lines;
    }

    private List<Measurement> at(ScenarioContext context, int perSecond, boolean keyed, @Nullable Double budgetMillis)
            throws Exception {
        int tasks =
                (int) (perSecond * context.sizes().durationOr(DEFAULT_DURATION).toSeconds());
        String what = String.format(Locale.ROOT, "lateness at %,d/s%s", perSecond, keyed ? "" : ", without keys");
        Percentiles late = run(context, perSecond, keyed, tasks);
        context.say("%s: p50 %,d µs, p99 %,d µs, max %,d µs", what, late.p50(), late.p99(), late.max());
        return List.of(
                Measurement.withoutBudget(what + ", p50", late.p50() / 1e3, "ms"),
                Measurement.of(
                        what + ", p99",
                        late.p99() / 1e3,
                        "ms",
                        budgetMillis == null ? Budget.NONE : Budget.atMost(budgetMillis)),
                Measurement.withoutBudget(what + ", max", late.max() / 1e3, "ms"));
    }

    private static Percentiles run(ScenarioContext context, int perSecond, boolean keyed, int tasks) throws Exception {
        AtomicLongArray late = new AtomicLongArray(tasks);
        AtomicInteger started = new AtomicInteger();
        String queue = context.uniqueName("late");
        QueuePolicy policy = keyed ? QueuePolicy.ordered(CONCURRENCY) : QueuePolicy.unordered(CONCURRENCY);
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS);
                TandemExecutor executor = TandemExecutor.ofTopic(context, queue, policy, task -> {
                    long micros = EpochMicros.now();
                    int index = started.getAndIncrement();
                    if (index < tasks) {
                        late.set(index, micros - due(task));
                    }
                    return Result.done();
                });
                KafkaProducer<String, byte[]> producer = topic.producer(2)) {
            publish(producer, queue, perSecond, keyed, tasks);
            Await.until(
                    LIMIT,
                    () -> {
                        context.progress("%,d of %,d started", started.get(), tasks);
                        return started.get() >= tasks;
                    },
                    () -> "Only " + started.get() + " of " + tasks + " tasks started (" + executor.status() + ")");
        }
        long[] all = new long[tasks];
        Arrays.setAll(all, late::get);
        return Percentiles.of(Arrays.copyOfRange(all, (int) (WARM_UP * tasks), tasks));
    }

    /** Publishes the tasks in small batches, at a steady rate. */
    private static void publish(
            KafkaProducer<String, byte[]> producer, String topic, int perSecond, boolean keyed, int tasks)
            throws InterruptedException {
        long begin = System.nanoTime();
        for (int sent = 0; sent < tasks; ) {
            long allowed = 1 + (System.nanoTime() - begin) * perSecond / 1_000_000_000L;
            for (; sent < Math.min(allowed, tasks); sent++) {
                long due = System.currentTimeMillis() + AHEAD_MILLIS + sent % 1_000;
                producer.send(scheduled(topic, keyed ? "k" + sent : null, due));
            }
            TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        }
    }

    private static ProducerRecord<String, byte[]> scheduled(String topic, @Nullable String key, long due) {
        ProducerRecord<String, byte[]> message = new ProducerRecord<>(topic, key, new byte[KafkaTopic.PAYLOAD]);
        byte[] time = Long.toString(due).getBytes(StandardCharsets.UTF_8);
        message.headers().add("tandem-not-before", time).add(DUE, time);
        return message;
    }

    private static long due(TaskContext task) {
        String header = task.headers().get(DUE);
        if (header == null) {
            throw new IllegalStateException("The task " + task.id() + " has no header " + DUE);
        }
        return Long.parseLong(header) * 1_000;
    }
}
