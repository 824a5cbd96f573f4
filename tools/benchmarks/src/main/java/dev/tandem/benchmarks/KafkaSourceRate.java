package dev.tandem.benchmarks;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.local.LocalKafka;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures how fast a {@link KafkaSource} alone delivers and commits records, beside a bare loop of poll and commitSync
 * on the same topic. Both take turns. A program without budgets: {@code KafkaSourceRate [records [rounds [servers]]]}.
 */
final class KafkaSourceRate {

    private static final int PARTITIONS = 8;
    private static final int PAYLOAD = 200;

    private KafkaSourceRate() {}

    public static void main(String[] args) throws Exception {
        int records = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        if (args.length > 2) {
            measure(args[2], records, rounds);
        } else {
            try (LocalKafka kafka = LocalKafka.builder().start()) {
                measure(kafka.address(), records, rounds);
            }
        }
    }

    private static void measure(String servers, int records, int rounds) throws Exception {
        String topic = fresh("rate");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        for (boolean headers : new boolean[] {false, true}) {
            fill(servers, topic, records, headers);
            long total = headers ? 2L * records : records;
            System.out.printf(
                    "%d records of %d bytes in %d partitions%s%n",
                    total, PAYLOAD, PARTITIONS, headers ? ", half of them with three headers" : "");
            for (int round = 1; round <= rounds; round++) {
                report("bare  ", total, () -> bare(servers, topic, total, "500"));
                report("source", total, () -> source(servers, topic, total));
            }
        }
        idle(servers, topic);
    }

    private static void fill(String servers, String topic, int records, boolean headers) {
        byte[] payload = new byte[PAYLOAD];
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        servers,
                        "linger.ms",
                        20,
                        "batch.size",
                        1 << 17,
                        "max.in.flight.requests.per.connection",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>(topic, i % PARTITIONS, bytes("key-" + i % 1_000), payload);
                if (headers) {
                    record.headers()
                            .add("tandem-type", bytes("order.paid"))
                            .add("tandem-max-attempts", bytes("5"))
                            .add("traceparent", bytes("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
                }
                Future<?> unused = producer.send(record);
            }
            producer.flush();
        }
    }

    private static String fresh(String prefix) {
        return prefix + "-" + UUID.randomUUID();
    }

    private static void report(String what, long records, Runnable run) {
        var threads = ManagementFactory.getThreadMXBean();
        long cpu = threads.getCurrentThreadCpuTime();
        long since = System.nanoTime();
        run.run();
        double seconds = (System.nanoTime() - since) / 1e9;
        double micros = (threads.getCurrentThreadCpuTime() - cpu) / 1e3 / records;
        System.out.printf(
                "  %s %,9.0f/s   %.2f us of its thread's processor time per record%n", what, records / seconds, micros);
    }

    private static void bare(String servers, String topic, long records, String maxPollRecords) {
        Map<String, Object> properties = Map.of(
                "bootstrap.servers",
                servers,
                "group.id",
                fresh("bare"),
                "enable.auto.commit",
                "false",
                "auto.offset.reset",
                "earliest",
                "max.poll.records",
                maxPollRecords);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            long seen = 0;
            while (seen < records) {
                ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ofMillis(500));
                for (ConsumerRecord<byte[], byte[]> each : polled) {
                    seen += each.value() == null ? 0 : 1;
                }
                if (!polled.isEmpty()) {
                    consumer.commitSync();
                }
            }
        }
    }

    private static void source(String servers, String topic, long records) {
        KafkaSettings settings =
                KafkaSettings.of(servers, "rate").withTopic(topic).withGroupId(fresh("source"));
        try (KafkaSource source = new KafkaSource(settings)) {
            CommittingLoop loop = new CommittingLoop(source);
            while (loop.seen < records) {
                source.poll(500, loop);
            }
        }
    }

    /** Measures the cost of a poll that finds nothing, and how soon a wake-up ends a wait. */
    private static void idle(String servers, String topic) {
        KafkaSettings settings =
                KafkaSettings.of(servers, "rate").withTopic(topic).withGroupId(fresh("idle"));
        try (KafkaSource source = new KafkaSource(settings)) {
            CommittingLoop loop = new CommittingLoop(source);
            long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            while (System.nanoTime() < until) {
                source.poll(500, loop);
            }
            int turns = 100_000;
            long since = System.nanoTime();
            for (int i = 0; i < turns; i++) {
                source.poll(0, loop);
            }
            System.out.printf("poll(0) that finds nothing: %.1f us%n", (System.nanoTime() - since) / 1e3 / turns);
            AtomicLong woken = new AtomicLong();
            long sum = 0;
            int wakes = 2_000;
            for (int i = 0; i < wakes; i++) {
                CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
                    LockSupport.parkNanos(1_000_000);
                    woken.set(System.nanoTime());
                    source.wakeup();
                });
                while (woken.get() == 0) {
                    source.poll(10_000, loop);
                }
                sum += System.nanoTime() - woken.getAndSet(0);
            }
            System.out.printf("from wakeup to the end of poll: %.1f us%n", sum / 1e3 / wakes);
        }
    }

    /** Opens each partition and commits each delivery at once. */
    private static final class CommittingLoop extends IgnoredEvents {
        private final KafkaSource source;
        private long seen;

        CommittingLoop(KafkaSource source) {
            this.source = source;
        }

        @Override
        public void assigned(Partition partition, Source.Facts facts) {
            source.open(partition);
        }

        @Override
        public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
            seen += deliveries.size();
            source.commit(partition, nextSequence);
        }
    }
}
