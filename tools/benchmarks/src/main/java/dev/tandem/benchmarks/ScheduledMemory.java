package dev.tandem.benchmarks;

import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What one scheduled task takes of the memory that Redis counts: 64 bytes of payload, no id, no key. */
final class ScheduledMemory implements Scenario {

    private static final int TASKS = 100_000;
    private static final int PAYLOAD = 64;
    private static final int PARTITIONS = 4;
    private static final double BUDGET_BYTES = 220;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String about() {
        return "Redis's memory per scheduled task, far off and due soon";
    }

    @Override
    public List<Measured> run(Lab lab) throws Exception {
        return List.of(
                Measured.of(
                        "Redis memory per scheduled task, due in hours",
                        bytes(lab, Duration.ofHours(1), Duration.ofHours(1)),
                        "bytes",
                        Budget.atMost(BUDGET_BYTES)),
                Measured.told(
                        "Redis memory per scheduled task, due within 90 s",
                        bytes(lab, Duration.ofSeconds(80), Duration.ofSeconds(5)),
                        "bytes"));
    }

    /** @param ahead when the first is due; @param spread until the last one is */
    private static double bytes(Lab lab, Duration ahead, Duration spread) throws Exception {
        int tasks = lab.sizes().tasksOr(TASKS);
        int first = Math.max(1, tasks / 100);
        String queue = lab.name("memory");
        String group = KafkaTopic.group(queue);
        try (KafkaTopic topic = new KafkaTopic(lab.kafka(), queue, PARTITIONS);
                RedisNumbers redis = new RedisNumbers(lab.redis());
                Tandem tandem = Tandem.start(
                        lab.redis(),
                        lab.sizes(),
                        new Tandem.Queue(
                                queue,
                                new KafkaSource(KafkaSettings.of(lab.kafka(), queue)),
                                QueuePolicy.unordered(1),
                                task -> Result.done()))) {
            long due = System.currentTimeMillis() + ahead.toMillis();
            // The first ones bring whatever there is once, not once a task.
            send(topic, due, spread, first);
            topic.awaitCommitted(group, first, lab);
            long before = redis.usedMemory();
            send(topic, due, spread, tasks);
            topic.awaitCommitted(group, first + tasks, lab);
            long after = redis.usedMemory();
            if (System.currentTimeMillis() >= due || tandem.status().succeeded() > 0) {
                throw new IllegalStateException("Tasks fell due before the memory was read: take fewer --tasks");
            }
            return (after - before) / (double) tasks;
        }
    }

    private static void send(KafkaTopic topic, long due, Duration spread, int tasks) {
        try (KafkaProducer<String, byte[]> producer = topic.producer(5)) {
            for (int i = 0; i < tasks; i++) {
                ProducerRecord<String, byte[]> message = new ProducerRecord<>(topic.name(), new byte[PAYLOAD]);
                String time = Long.toString(due + i * spread.toMillis() / tasks);
                message.headers().add("tandem-not-before", time.getBytes(StandardCharsets.UTF_8));
                producer.send(message);
            }
        }
    }
}
