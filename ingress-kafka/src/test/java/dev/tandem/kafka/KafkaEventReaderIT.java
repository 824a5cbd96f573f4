package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalKafka;
import dev.tandem.local.PortReservations;
import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.PublishedEvent;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Reading published events, of which a broker removes some before they are read. */
@Execution(ExecutionMode.CONCURRENT)
class KafkaEventReaderIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WAIT = Duration.ofMillis(200);

    private final String servers = Brokers.kafka().bootstrapServers();
    private final String group = UniqueNames.fresh("events");

    @Test
    void aGapIsCountedOnceAlthoughWhoMeetsItConfirmsNothing() {
        String topic = Brokers.kafka().topic("events-gap", 1);
        TestTopics.fill(servers, topic, 1, 10);
        try (KafkaEventReader first = reader(topic, 2)) {
            assertThat(readSome(first)).containsExactly("task 0", "task 1");
            first.confirm();
        }
        removeBefore(topic, 1, 5);
        try (KafkaEventReader second = reader(topic, 100)) {
            assertThat(readSome(second)).first().isEqualTo("task 5");
            assertThat(second.lost()).as("2, 3 and 4").isEqualTo(3);
        }

        try (KafkaEventReader third = reader(topic, 100)) {
            assertThat(readSome(third)).first().isEqualTo("task 5");
            assertThat(third.lost()).as("counted again").isZero();
        }
    }

    @Test
    void aMemberThatTakesAPartitionOverDoesNotCountItsGapAgain() {
        String topic = Brokers.kafka().topic("events-rebalance", 2);
        TestTopics.fill(servers, topic, 2, 10);
        try (KafkaEventReader before = reader(topic, 2)) {
            for (int read = 0; read < 20; read += readSome(before).size()) {
                before.confirm();
            }
            before.confirm();
        }
        TestTopics.fill(servers, topic, 2, 10);
        removeBefore(topic, 2, 15);
        try (KafkaEventReader staying = reader(topic, 100);
                KafkaEventReader joining = reader(topic, 100)) {
            await().atMost(PATIENCE).until(() -> {
                staying.read(WAIT);
                return staying.lost() == 10;
            });

            await("a partition").atMost(PATIENCE).until(() -> {
                staying.read(WAIT);
                return !joining.read(WAIT).isEmpty();
            });

            assertThat(joining.lost()).isZero();
            assertThat(staying.lost()).isEqualTo(10);
        }
    }

    /** The broker has the commit, so nobody meets the gap again: whoever lost the answer must have counted it. */
    @Test
    void aGapIsCountedAlthoughTheAnswerToTheCommitBehindItIsLost() throws IOException {
        int listener = PortReservations.reserve();
        int proxied = PortReservations.reserve();
        String topic = UniqueNames.fresh("events-lost");
        try (LocalKafka kafka = Brokers.ownKafkaBehind(listener, proxied);
                LostCommitAnswers proxy = new LostCommitAnswers(proxied, listener);
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            TestTopics.get(admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                    .all());
            TestTopics.fill(kafka.address(), topic, 1, 10);
            try (KafkaEventReader first = reader(kafka.address(), topic, 2)) {
                assertThat(readSome(first)).containsExactly("task 0", "task 1");
                first.confirm();
            }
            TestTopics.get(admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(5)))
                    .all());
            try (KafkaEventReader second = reader("127.0.0.1:" + proxied, topic, 100)) {
                proxy.loseNext();
                await("the commit without an answer").atMost(PATIENCE).until(() -> failsToRead(second));
                assertThat(proxy.lost()).isEqualTo(1);
                assertThat(second.lost()).as("2, 3 and 4").isEqualTo(3);
                assertThat(readSome(second)).first().isEqualTo("task 5");
                assertThat(second.lost()).isEqualTo(3);
            }
        }
    }

    private static boolean failsToRead(KafkaEventReader reader) {
        try {
            reader.read(WAIT);
            return false;
        } catch (EventReader.ReadException e) {
            return true;
        }
    }

    private KafkaEventReader reader(String topic, int batch) {
        return reader(servers, topic, batch);
    }

    private KafkaEventReader reader(String at, String topic, int batch) {
        return new KafkaEventReader(List.of(KafkaSettings.of(at, topic)), group, batch);
    }

    private static List<String> readSome(KafkaEventReader from) {
        List<String> read = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            from.read(WAIT).stream()
                    .map(PublishedEvent::data)
                    .map(data -> new String(data, StandardCharsets.UTF_8))
                    .forEach(read::add);
            return !read.isEmpty();
        });
        return read;
    }

    private static void removeBefore(String topic, int partitions, long offset) {
        IntStream.range(0, partitions)
                .mapToObj(
                        partition -> Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)))
                .forEach(each -> TestTopics.get(
                        Brokers.kafka().admin().deleteRecords(each).all()));
    }
}
