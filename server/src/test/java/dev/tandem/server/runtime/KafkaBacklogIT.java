package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.settings.TandemSettings.KafkaSettings;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaBacklogIT {

    @Test
    void commitsOfAFormerTopicAreIgnored() throws Exception {
        String servers = Brokers.kafka().bootstrapServers();
        String topic = Brokers.kafka().topic("backlog", 1);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < 10; i++) {
                producer.send(new ProducerRecord<>(topic, new byte[] {1})).get();
            }
        }
        try (KafkaBacklog backlog = new KafkaBacklog(new KafkaSettings(servers, Map.of()))) {
            awaitBacklog(backlog, topic, 10);
            commit(topic, "");
            awaitBacklog(backlog, topic, 3);
            commit(topic, "tandem:AAAAAAAAAAAAAAAAAAAAAA");
            awaitBacklog(backlog, topic, 10);
        }
    }

    /** Waits, because a slow broker is reported as having no backlog. */
    private static void awaitBacklog(KafkaBacklog backlog, String topic, long count) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(backlog.of(topic, "group-of-" + topic)).isEqualTo(Map.of("0", count)));
    }

    private static void commit(String topic, String metadata) throws Exception {
        Brokers.kafka()
                .admin()
                .alterConsumerGroupOffsets(
                        "group-of-" + topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(7, metadata)))
                .all()
                .get();
    }
}
