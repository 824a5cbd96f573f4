package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Measures the used memory of Redis per scheduled task with 64 bytes of payload, no id and no key. */
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
    public List<Measurement> run(ScenarioContext context) throws Exception {
        return List.of(
                Measurement.of(
                        "Redis memory per scheduled task, due in hours",
                        bytes(context, Duration.ofHours(1), Duration.ofHours(1)),
                        "bytes",
                        Budget.atMost(BUDGET_BYTES)),
                Measurement.withoutBudget(
                        "Redis memory per scheduled task, due within 90 s",
                        bytes(context, Duration.ofSeconds(80), Duration.ofSeconds(5)),
                        "bytes"));
    }

    /**
     * Returns the bytes per task.
     *
     * @param ahead the time until the first task is due
     * @param spread the time from there until the last task is due
     */
    private static double bytes(ScenarioContext context, Duration ahead, Duration spread) throws Exception {
        int tasks = context.sizes().tasksOr(TASKS);
        int first = Math.max(1, tasks / 100);
        String queue = context.uniqueName("memory");
        String group = KafkaTopic.group(queue);
        try (KafkaTopic topic = new KafkaTopic(context.brokers().kafka(), queue, PARTITIONS);
                RedisStatistics redis = new RedisStatistics(context.brokers().redis());
                TandemExecutor executor =
                        TandemExecutor.ofTopic(context, queue, QueuePolicy.unordered(1), task -> Result.done())) {
            long due = System.currentTimeMillis() + ahead.toMillis();
            // The first tasks take with them what is needed once and not for each task.
            send(topic, due, spread, first);
            topic.awaitCommitted(group, first, context);
            long before = redis.usedMemory();
            send(topic, due, spread, tasks);
            topic.awaitCommitted(group, first + tasks, context);
            long after = redis.usedMemory();
            if (System.currentTimeMillis() >= due || executor.status().succeeded() > 0) {
                throw new IllegalStateException(
                        "Some tasks were due before the memory was read. Set a lower number of --tasks");
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
