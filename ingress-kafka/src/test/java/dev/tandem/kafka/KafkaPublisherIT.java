package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaPublisherIT {

    private String servers;

    @BeforeEach
    void broker() {
        servers = Brokers.kafka().bootstrapServers();
    }

    @Test
    void aPublishedTaskArrivesUnchanged() {
        String topic = Brokers.kafka().topic("published", 1);
        KafkaSettings settings = KafkaSettings.of(servers, topic);
        Task task = new Task(
                "order-7",
                topic,
                "order.paid",
                "customer-é",
                bytes("{}"),
                Map.of("traceparent", "00-1-2-01", "blob;latin1", "\u00ff"),
                1_790_000_000_000L,
                1_790_000_060_000L,
                5_000,
                3,
                "dedup");
        try (KafkaPublisher publisher = new KafkaPublisher(List.of(settings));
                KafkaSourceDriver driver = KafkaSourceDriver.started(settings)) {
            PublishedId id = done(publisher.publish(task));
            assertThat(id.id()).isEqualTo("order-7");
            assertThat(id.place()).isEqualTo(topic + ":0:0");

            await().until(() -> driver.deliveredCount() == 1);
            assertThat(driver.delivered(Partition.of(topic, 0)).get(0).task())
                    .usingRecursiveComparison()
                    .isEqualTo(task);
        }
    }

    @Test
    void aTaskWithoutAnIdIsIdentifiedByItsOffset() {
        String topic = Brokers.kafka().topic("published", 1);
        try (KafkaPublisher publisher = new KafkaPublisher(List.of(KafkaSettings.of(servers, topic)))) {
            done(publisher.publish(Task.of(topic, null, bytes("1"))));
            assertThat(done(publisher.publish(Task.of(topic, null, bytes("2")))).id())
                    .isEqualTo(topic + ":0:1");
        }
    }

    @Test
    void theLargestPayloadIsDeliveredAndASmallerTopicLimitIsReported() {
        int size = 40 << 20;
        String topic = UniqueNames.fresh("large");
        String small = Brokers.kafka().topic("small", 1);
        TestTopics.get(Brokers.kafka()
                .admin()
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1)
                        .configs(Map.of("max.message.bytes", Integer.toString(size + 1_000)))))
                .all());
        Map<String, String> patience = Map.of("delivery.timeout.ms", "300000");
        KafkaSettings settings =
                KafkaSettings.of(servers, topic).withMaxPayload(size).withProperties(patience);
        KafkaSettings limited =
                KafkaSettings.of(servers, small).withMaxPayload(size).withProperties(patience);
        try (KafkaPublisher publisher = new KafkaPublisher(List.of(settings, limited));
                KafkaSourceDriver driver = KafkaSourceDriver.started(settings)) {
            done(publisher.publish(Task.of(topic, null, new byte[size])));
            await().until(() -> driver.deliveredCount() == 1);
            assertThat(driver.delivered(Partition.of(topic, 0)).get(0).task().payload())
                    .hasSize(size);
            assertFails(publisher.publish(Task.of(small, null, new byte[size])), "raise max.message.bytes");
        }
    }

    @Test
    void refusesTasksThatWouldBeUnreadableOnArrival() {
        String topic = UniqueNames.fresh("refused");
        KafkaSettings settings = KafkaSettings.of(servers, topic).withMaxPayload(10);
        try (KafkaPublisher publisher = new KafkaPublisher(List.of(settings))) {
            assertFails(publisher.publish(Task.of(topic, null, new byte[11])), "over the limit of 10 bytes");
            assertFails(publisher.publish(Task.of(topic, "k".repeat(1_025), new byte[0])), "a key may have 1024");
            assertFails(
                    publisher.publish(new Task(
                            null, topic, null, null, new byte[0], Map.of("tandem-delay", "soon"), 0, 0, 0, 0, null)),
                    "header 'tandem-delay' has the value 'soon'");
            assertFails(publisher.publish(Task.of("other", null, new byte[0])), "'other' has no Kafka topic here");
        }
    }

    @Test
    void failuresNameTheirCauseAndARemedy() {
        String topic = UniqueNames.fresh("missing");
        KafkaSettings hasty = KafkaSettings.of(servers, topic).withProperties(Map.of("max.block.ms", "300"));
        KafkaPublisher publisher = new KafkaPublisher(List.of(hasty));
        await().untilAsserted(() -> assertFails(
                publisher.publish(Task.of(topic, null, new byte[0])), "the topic does not exist: create it"));
        publisher.close();
        publisher.close();
        assertFails(publisher.publish(Task.of(topic, null, new byte[0])), "closed");

        KafkaSettings nowhere = KafkaSettings.of("127.0.0.1:1", topic).withProperties(Map.of("max.block.ms", "300"));
        try (KafkaPublisher lost = new KafkaPublisher(List.of(nowhere))) {
            assertFails(lost.publish(Task.of(topic, null, new byte[0])), "check the address");
        }
        try (KafkaPublisher unknown = new KafkaPublisher(List.of(KafkaSettings.of("broker.invalid:9092", topic)))) {
            assertFails(unknown.publish(Task.of(topic, null, new byte[0])), "bootstrap.servers");
        }
    }

    private static PublishedId done(CompletionStage<PublishedId> stage) {
        return TestTopics.get(stage.toCompletableFuture());
    }

    private static void assertFails(CompletionStage<PublishedId> stage, String message) {
        assertThatThrownBy(() -> stage.toCompletableFuture().join())
                .hasCauseInstanceOf(PublishException.class)
                .hasMessageContaining(message);
    }
}
