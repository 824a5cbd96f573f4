package dev.tandem.outbox;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** A queue of its own at a real broker, and what has arrived there. Used by one thread. */
abstract class TestBroker implements AutoCloseable {

    enum Kind {
        KAFKA,
        RABBIT;

        TestBroker create() {
            return switch (this) {
                case KAFKA ->
                    new KafkaBroker(
                            Brokers.kafka().bootstrapServers(), Brokers.kafka().topic("outbox", 4));
                case RABBIT -> new RabbitBroker(Brokers.rabbit().uri(), UniqueNames.fresh("outbox"));
            };
        }

        TaskClient client(String address, String queue) {
            return switch (this) {
                case KAFKA -> TandemClient.builder().kafka(address, queue).build();
                case RABBIT ->
                    TandemClient.builder()
                            .queue(RabbitBroker.settings(address, queue))
                            .build();
            };
        }
    }

    /** A task that arrived. */
    record Arrived(@Nullable String key, String id, String text, Map<String, String> headers) {}

    final Kind kind;
    final String address;
    final String queue;
    private final List<Arrived> arrived = new ArrayList<>();

    TestBroker(Kind kind, String address, String queue) {
        this.kind = kind;
        this.address = address;
        this.queue = queue;
    }

    TaskClient client() {
        return kind.client(address, queue);
    }

    /** Returns all that has arrived, within each key in the order of the broker. */
    List<Arrived> arrived() {
        fetch(arrived);
        return arrived;
    }

    /** Returns the texts of each key, without those that had arrived before with the same id. */
    Map<@Nullable String, List<String>> firstCopies() {
        Map<@Nullable String, List<String>> texts = new HashMap<>();
        Map<String, String> seen = new HashMap<>();
        for (Arrived each : arrived()) {
            if (seen.putIfAbsent(each.id(), each.text()) == null) {
                texts.computeIfAbsent(each.key(), any -> new ArrayList<>()).add(each.text());
            }
        }
        return texts;
    }

    abstract void fetch(List<Arrived> into);

    @Override
    public abstract void close();

    static class KafkaBroker extends TestBroker {

        private final KafkaConsumer<String, byte[]> consumer;

        KafkaBroker(String servers, String topic) {
            super(Kind.KAFKA, servers, topic);
            consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            servers,
                            "auto.offset.reset",
                            "earliest",
                            "enable.auto.commit",
                            "false"),
                    new StringDeserializer(),
                    new ByteArrayDeserializer());
            consumer.assign(IntStream.range(0, 4)
                    .mapToObj(number -> new TopicPartition(topic, number))
                    .toList());
        }

        @Override
        void fetch(List<Arrived> into) {
            for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                Map<String, String> headers = new HashMap<>();
                record.headers()
                        .forEach(header ->
                                headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
                into.add(new Arrived(
                        record.key(),
                        headers.get("tandem-id"),
                        new String(record.value(), StandardCharsets.UTF_8),
                        headers));
            }
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    static final class RabbitBroker extends TestBroker {

        private static final int PARTITIONS = 2;

        private final Connection connection;
        private final BlockingQueue<Arrived> received = new LinkedBlockingQueue<>();

        static RabbitSettings settings(String uri, String queue) {
            return RabbitSettings.of(uri, queue).orderedByHeader().withPartitions(PARTITIONS);
        }

        RabbitBroker(String uri, String queue) {
            super(Kind.RABBIT, uri, queue);
            // Has the client declare what it needs.
            try (TaskClient client = client()) {
                client.submit(TaskRequest.of(queue, "first", "")).accepted().join();
            }
            connection = SharedRabbit.connect(uri);
            try {
                Channel channel = connection.createChannel();
                consume(channel, RabbitSettings.unroutedName(queue));
                for (int i = 0; i < PARTITIONS; i++) {
                    consume(channel, RabbitSettings.subQueueName(queue, i));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void consume(Channel channel, String from) throws IOException {
            channel.basicConsume(from, true, (tag, message) -> received(message), tag -> {});
        }

        private void received(Delivery message) {
            Map<String, String> headers = new HashMap<>();
            Map<String, Object> given = message.getProperties().getHeaders();
            if (given != null) {
                given.forEach((name, value) -> headers.put(name, String.valueOf(value)));
            }
            if ("first".equals(headers.get("tandem-type"))) {
                return;
            }
            received.add(new Arrived(
                    headers.get("tandem-key"),
                    headers.get("tandem-id"),
                    new String(message.getBody(), StandardCharsets.UTF_8),
                    headers));
        }

        @Override
        void fetch(List<Arrived> into) {
            received.drainTo(into);
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
