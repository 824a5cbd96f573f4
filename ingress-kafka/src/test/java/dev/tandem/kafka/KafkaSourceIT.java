package dev.tandem.kafka;

import static dev.tandem.kafka.Topics.get;
import static dev.tandem.kafka.Topics.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reading, committing and starting positions. */
class KafkaSourceIT {

    private String servers;
    private Admin admin;

    @BeforeEach
    void broker() {
        servers = Brokers.kafka().bootstrapServers();
        admin = Brokers.kafka().admin();
    }

    @Test
    void aPlainProducersRecordsWithoutHeadersAreTasksInTheirOrder() {
        String topic = Brokers.kafka().topic("plain", 1);
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(servers, Map.of())) {
            get(producer.send(record(topic, 0, "customer-1", "first")));
            get(producer.send(record(topic, 0, null, "second")));
            get(producer.send(record(topic, 0, null, "third")));
        }

        try (Engine engine = Engine.started(KafkaSettings.of(servers, topic))) {
            Partition partition = Partition.of(topic, 0);
            await().until(() -> engine.delivered(partition).size() == 3);

            List<Delivery> tasks = engine.delivered(partition);
            assertThat(tasks)
                    .extracting(each -> new String(each.task().payload()))
                    .containsExactly("first", "second", "third");
            // Null keys are not one key.
            assertThat(tasks).extracting(each -> each.task().key()).containsExactly("customer-1", null, null);
            assertThat(tasks)
                    .allMatch(each -> each.unreadable() == null && each.task().publishedAt() > 0);
            assertThat(engine.position).containsEntry(partition, 3L);
        }
    }
}
