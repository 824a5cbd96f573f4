package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class LocalKafkaIT {

    @Test
    void restartsOnItsPortWithItsRecordsAfterAKillOrAStop() throws Exception {
        try (LocalKafka kafka = LocalKafka.builder().mode(LocalMode.PROCESS).start()) {
            try (Admin admin = Admin.create(client(kafka))) {
                admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1)))
                        .all()
                        .get();
            }
            produce(kafka, "one", "two");

            kafka.kill();
            assertThat(kafka.isRunning()).isFalse();
            kafka.start();
            produce(kafka, "three");

            kafka.restart();

            assertThat(read(kafka, 3)).containsExactly("one", "two", "three");
        }
    }

    private static Map<String, Object> client(LocalKafka kafka) {
        return Map.of("bootstrap.servers", kafka.address());
    }

    private static void produce(LocalKafka kafka, String... values) throws Exception {
        try (var producer = new KafkaProducer<>(client(kafka), new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>("orders", 0, "key", value)).get();
            }
        }
    }

    private static List<String> read(LocalKafka kafka, int count) {
        var partition = new TopicPartition("orders", 0);
        try (var consumer = new KafkaConsumer<>(client(kafka), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            return IntStream.range(0, 50)
                    .boxed()
                    .flatMap(round -> StreamSupport.stream(
                            consumer.poll(Duration.ofMillis(200)).spliterator(), false))
                    .map(record -> record.value())
                    .limit(count)
                    .toList();
        }
    }
}
