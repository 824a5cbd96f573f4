package dev.tandem.benchmarks;

import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

/** How late scheduled tasks start: from the millisecond that they are due to their handler's first line. */
final class Lateness implements Scenario {

    private static final Duration USUAL = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int CONCURRENCY = 256;
    private static final int PARTITIONS = 4;

    /** The time again, for the handler, which does not get to see the platform's own headers. */
    private static final String DUE = "due";

    /** Tasks are due this long after they are published, spread over a second. */
    private static final int AHEAD_MILLIS = 3_000;

    private static final int TICK_MILLIS = 20;

    /** The share of a run at its beginning that is not counted: the code is not warm yet. */
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
    public List<Measured> run(Lab lab) throws Exception {
        List<Measured> lines = new ArrayList<>();
        lines.addAll(at(lab, 500, true, 4.0));
        lines.addAll(at(lab, 5_000, true, 20.0));
        lines.addAll(at(lab, 500, false, null));
        return lines;
    }

    private List<Measured> at(Lab lab, int perSecond, boolean keyed, @Nullable Double budgetMillis) throws Exception {
        int tasks = (int) (perSecond * lab.sizes().durationOr(USUAL).toSeconds());
        String what = String.format(Locale.ROOT, "lateness at %,d/s%s", perSecond, keyed ? "" : ", without keys");
        Spread late = run(lab, perSecond, keyed, tasks);
        lab.say("%s: %s µs", what, late);
        return List.of(
                Measured.told(what + ", p50", late.p50() / 1_000, "ms"),
                Measured.of(
                        what + ", p99",
                        late.p99() / 1_000,
                        "ms",
                        budgetMillis == null ? Budget.NONE : Budget.atMost(budgetMillis)),
                Measured.told(what + ", max", late.max() / 1_000, "ms"));
    }

    private static Spread run(Lab lab, int perSecond, boolean keyed, int tasks) throws Exception {
        AtomicLongArray late = new AtomicLongArray(tasks);
        AtomicInteger started = new AtomicInteger();
        String queue = lab.name("late");
        QueuePolicy policy = keyed ? QueuePolicy.ordered(CONCURRENCY) : QueuePolicy.unordered(CONCURRENCY);
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, PARTITIONS);
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(queue, new KafkaSource(KafkaSettings.of(lab.kafka(), queue)), policy, task -> {
                            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
                            int index = started.getAndIncrement();
                            if (index < tasks) {
                                late.set(index, micros - due(task));
                            }
                            return Result.done();
                        }));
                KafkaProducer<String, byte[]> producer = topic.producer(2)) {
            publish(producer, queue, perSecond, keyed, tasks);
            Patience.await(
                    PATIENCE,
                    () -> {
                        lab.progress("%,d of %,d started", started.get(), tasks);
                        return started.get() >= tasks;
                    },
                    () -> "Only " + started.get() + " of " + tasks + " tasks started, " + tandem.status());
        }
        long[] all = new long[tasks];
        Arrays.setAll(all, late::get);
        return Spread.of(Arrays.copyOfRange(all, (int) (WARM_UP * tasks), tasks));
    }

    /** In small portions at a steady rate. */
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
            throw new IllegalStateException("A task without its time: " + task);
        }
        return Long.parseLong(header) * 1_000;
    }
}
