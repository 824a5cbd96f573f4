package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;

final class KafkaTestBroker implements TestBroker {

    private static final int PARTITIONS = 3;
    private static final Map<String, String> HASTY =
            Map.of("max.block.ms", "500", "request.timeout.ms", "500", "linger.ms", "2", "delivery.timeout.ms", "1500");

    private final String servers = Brokers.kafka().bootstrapServers();
    private final String topic = Brokers.kafka().topic("client", PARTITIONS);
    private final KafkaSettings settings = KafkaSettings.of(servers, topic);

    @Override
    public String queue() {
        return topic;
    }

    @Override
    public TandemClientBuilder client() {
        return TandemClient.builder().kafka(servers, topic);
    }

    @Override
    public TandemClientBuilder clientWithMaxPayload(int bytes) {
        return TandemClient.builder().queue(settings.withMaxPayload(bytes));
    }

    @Override
    public TandemClientBuilder clientThrough(BrokerProxy proxy) {
        return TandemClient.builder()
                .queue(KafkaSettings.of(proxy.address(), topic).withProperties(HASTY));
    }

    @Override
    public BrokerProxy proxy() {
        return Brokers.kafka().proxy();
    }

    @Override
    public TandemClientBuilder clientOfAMissingPlace() {
        return TandemClient.builder()
                .queue(KafkaSettings.of(servers, "nowhere")
                        .withTopic(UniqueNames.fresh("missing"))
                        .withProperties(HASTY));
    }

    @Override
    public String missingPlace() {
        return "the topic does not exist: create it, or start an executor of the queue";
    }

    @Override
    public List<Task> read(int count) {
        TaskHeaders headers = new TaskHeaders(topic, Binding.KAFKA, settings.maxPayload());
        List<Task> tasks = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", servers, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(IntStream.range(0, PARTITIONS)
                    .mapToObj(each -> new TopicPartition(topic, each))
                    .toList());
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (tasks.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> tasks.add(task(headers, record)));
            }
        }
        return tasks;
    }

    private static Task task(TaskHeaders headers, ConsumerRecord<byte[], byte[]> record) {
        if (record.key() != null) {
            assertThat(record.partition())
                    .as("partition by Kafka's own choice")
                    .isEqualTo(Utils.toPositive(Utils.murmur2(record.key())) % PARTITIONS);
        }
        List<Field> fields = new ArrayList<>();
        record.headers().forEach(each -> fields.add(new Field(each.key(), each.value())));
        TaskHeaders.Read read =
                headers.read(fields, new Origin(record.key(), null, null, null, record.timestamp(), 0), record.value());
        assertThat(read.unreadable()).isNull();
        return read.task();
    }

    @Override
    public void close() {}
}
