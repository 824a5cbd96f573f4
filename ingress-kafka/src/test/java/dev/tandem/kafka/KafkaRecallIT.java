package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.get;
import static dev.tandem.kafka.TestTopics.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Reading records again that were passed over. */
class KafkaRecallIT {

    /** The records are of the keys a, b, c, a, b, c… */
    private static final int RECORDS = 3_000;

    private final String servers = Brokers.kafka().bootstrapServers();

    private Partition topicWithRecords(String name) {
        String topic = Brokers.kafka().topic(name, 1);
        try (KafkaProducer<byte[], byte[]> producer = TestTopics.producer(servers, Map.of())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(record(topic, 0, List.of("a", "b", "c").get(i % 3), Integer.toString(i)));
            }
        }
        return Partition.of(topic, 0);
    }

    private KafkaSourceDriver started(Partition partition) {
        KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, partition.queue()));
        await().until(() -> driver.delivered(partition).size() == RECORDS);
        return driver;
    }

    private static BitSet all(int count) {
        BitSet all = new BitSet();
        all.set(0, count);
        return all;
    }

    private static List<String> values(List<Delivery> deliveries) {
        return deliveries.stream()
                .map(each -> new String(each.task().payload(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void onlyWantedOffsetsOfTheKeysAreReadAgainAndNothingElseIsDisturbed() {
        Partition partition = topicWithRecords("recall");
        try (KafkaSourceDriver driver = started(partition)) {
            BitSet wanted = new BitSet();
            wanted.set(0);
            wanted.set(1);
            wanted.set(3);
            wanted.set(2_001);
            Recall recall = new Recall(1, 900, 2_950, wanted, task -> "a".equals(task.key()), 1_000, 1 << 20);
            driver.call(() -> driver.source.recall(partition, recall));

            await().until(() -> !driver.events("recalled").isEmpty());
            // 901 is of another key. 2901 is of key a.
            assertThat(values(driver.recalled())).containsExactly("900", "903", "2901");
            assertThat(driver.events("recalled").get(0).number()).isEqualTo(2_950);
            assertThat(driver.delivered(partition)).hasSize(RECORDS);
            assertThat(driver.position).containsEntry(partition, (long) RECORDS);
        }
    }

    @Test
    void readingEndsWhenEnoughWasFoundAndGoesOnFromThere() {
        Partition partition = topicWithRecords("recall-more");
        try (KafkaSourceDriver driver = started(partition)) {
            Recall first = new Recall(1, 0, RECORDS, all(RECORDS), task -> "b".equals(task.key()), 10, 1 << 20);
            driver.call(() -> driver.source.recall(partition, first));
            await().until(() -> driver.events("recalled").size() == 1);
            long next = driver.events("recalled").get(0).number();
            assertThat(next).isLessThan(RECORDS);
            int found = driver.recalled().size();
            assertThat(found).isGreaterThanOrEqualTo(10);

            int rest = (int) (RECORDS - next);
            Recall second = new Recall(2, next, RECORDS, all(rest), task -> "b".equals(task.key()), RECORDS, 1 << 20);
            driver.call(() -> driver.source.recall(partition, second));
            await().until(() -> driver.events("recalled").size() == 2);
            assertThat(driver.recalled())
                    .extracting(Delivery::sequence)
                    .isSorted()
                    .hasSize(RECORDS / 3);
        }
    }

    @Test
    void deletedRecordsAreReported() {
        Partition partition = topicWithRecords("recall-deleted");
        try (KafkaSourceDriver driver = started(partition)) {
            TopicPartition topicPartition = new TopicPartition(partition.queue(), 0);
            get(Brokers.kafka()
                    .admin()
                    .deleteRecords(Map.of(topicPartition, RecordsToDelete.beforeOffset(500)))
                    .all());
            Recall recall = new Recall(1, 100, 1_000, all(900), task -> "a".equals(task.key()), 1_000, 1 << 20);
            driver.call(() -> driver.source.recall(partition, recall));

            await().until(() -> !driver.events("recalled").isEmpty());
            assertThat(driver.events("deleted").get(0).number()).isEqualTo(500);
            assertThat(driver.events("recalled").get(0).number()).isEqualTo(500);
            assertThat(driver.recalled()).isEmpty();
        }
    }
}
