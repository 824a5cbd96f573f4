package dev.tandem.benchmarks;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Other consumers of the same records, with which Tandem is compared. */
final class KafkaBaselines {

    /** The interval at which Tandem commits while it is busy. */
    private static final Duration COMMIT_INTERVAL = Duration.ofMillis(50);

    private static final Duration LIMIT = Duration.ofMinutes(3);

    private KafkaBaselines() {}

    /** Runs a loop of poll, handle and commitSync, the least that any consumer does. Returns tasks per second. */
    static double bareLoop(KafkaTopic topic, String group, int tasks) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(topic.bootstrap(), group)) {
            consumer.subscribe(List.of(topic.name()));
            long handled = 0;
            long start = 0;
            long bytes = 0;
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (handled < tasks) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("The bare loop got only " + handled + " of " + tasks + " tasks in "
                            + LIMIT.toSeconds() + " s");
                }
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(500));
                if (start == 0 && !records.isEmpty()) {
                    start = System.nanoTime();
                }
                for (ConsumerRecord<byte[], byte[]> each : records) {
                    bytes += each.value().length;
                    handled++;
                }
                if (!records.isEmpty()) {
                    consumer.commitSync();
                }
            }
            if (bytes != (long) tasks * KafkaTopic.PAYLOAD) {
                throw new IllegalStateException(
                        "The bare loop read " + bytes + " bytes instead of " + (long) tasks * KafkaTopic.PAYLOAD);
            }
            return perSecond(tasks, start);
        }
    }

    /**
     * Runs Confluent's parallel consumer, in order by key. Returns tasks per second, from the first to the last
     * commit.
     */
    static double parallelConsumer(KafkaTopic topic, String group, int tasks, ScenarioContext context)
            throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch started = new CountDownLatch(1);
        try (ParallelStreamProcessor<byte[], byte[]> processor = parallelConsumer(
                topic.bootstrap(), topic.name(), group, context.sizes().rivalThreads())) {
            processor.poll(record -> {
                started.countDown();
                handled.increment();
            });
            started.await();
            long start = System.nanoTime();
            topic.awaitCommitted(group, tasks, context);
            return perSecond(tasks, start);
        }
    }

    /** Returns Confluent's parallel consumer, in order by key, subscribed to a topic. It starts when it is polled. */
    static ParallelStreamProcessor<byte[], byte[]> parallelConsumer(
            String bootstrap, String topic, String group, int threads) {
        ParallelStreamProcessor<byte[], byte[]> processor =
                ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<byte[], byte[]>builder()
                        .consumer(consumer(bootstrap, group))
                        .ordering(ProcessingOrder.KEY)
                        .maxConcurrency(threads)
                        .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                        .commitInterval(COMMIT_INTERVAL)
                        .build());
        processor.subscribe(List.of(topic));
        return processor;
    }

    private static double perSecond(int tasks, long startNanos) {
        return tasks / ((System.nanoTime() - startNanos) / 1e9);
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap, String group) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", bootstrap,
                "group.id", group,
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false",
                "max.poll.records", "500"));
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
