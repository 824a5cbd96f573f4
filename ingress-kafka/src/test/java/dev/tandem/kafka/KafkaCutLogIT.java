package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.get;
import static dev.tandem.kafka.TestTopics.producer;
import static dev.tandem.kafka.TestTopics.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMode;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source.Facts;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker that lost the end of its logs: records 6 to 9 of 10, which were read. It is killed, its files are cut, and
 * after its restart other records have their offsets. An unclean leader election does the same.
 */
class KafkaCutLogIT {

    private static final int CUT = 6;

    private static final int END = 10;

    @TempDir
    private static Path data;

    private static LocalKafka kafka;
    private static Admin admin;

    /** Commits 3 of 10, and reads on. */
    private static final Reader above = new Reader("above", 3);

    /** Commits 8 of 10, and reads on. */
    private static final Reader below = new Reader("below", 8);

    /** Commits 3 of 10, and ends before the cut. */
    private static final Reader gone = new Reader("gone", 3);

    /** Commits 3 of 10, and its log is not cut. */
    private static final Reader whole = new Reader("whole", 3);

    /** Commits 3 of 10, leaves its partition to another member before the cut, and comes back. */
    private static final Reader back = new Reader("back", 3);

    private static KafkaSourceDriver heir;

    /** A topic and who reads it. */
    private static final class Reader {
        final String topic;
        final Partition partition;
        final int committed;
        KafkaSourceDriver driver;
        long sizeAtCut;

        Reader(String topic, int committed) {
            this.topic = topic;
            this.partition = Partition.of(topic, 0);
            this.committed = committed;
        }

        void readTheFirst() throws IOException {
            driver = start();
            await().until(() -> driver.owned().size() == 1);
            append("old", 0, CUT);
            sizeAtCut = Files.size(file());
            append("old", CUT, END);
            await().until(() -> driver.deliveredCount() == END);
            await("the epochs of the first records are committed at once").until(this::epochsAreCommitted);
            driver.call(() -> driver.source.commit(partition, committed));
            await().until(() -> !driver.events("committed").isEmpty());
        }

        KafkaSourceDriver start() {
            KafkaSourceDriver started = new KafkaSourceDriver(KafkaSettings.of(kafka.address(), topic)
                    .withPartitions(1)
                    .withProperties(Map.of("session.timeout.ms", "30000")));
            started.knowsWhatIsCut = this != whole;
            started.start();
            return started;
        }

        Path file() throws IOException {
            try (Stream<Path> files = Files.walk(data)) {
                return files.filter(each -> each.endsWith(Path.of(topic + "-0", "00000000000000000000.log")))
                        .findFirst()
                        .orElseThrow();
            }
        }

        void cut() throws IOException {
            try (FileChannel file = FileChannel.open(file(), StandardOpenOption.WRITE)) {
                file.truncate(sizeAtCut);
            }
        }

        void append(String what, int from, int to) {
            try (KafkaProducer<byte[], byte[]> producer = producer(kafka.address(), Map.of())) {
                for (int i = from; i < to; i++) {
                    get(producer.send(record(topic, 0, null, what + i)));
                }
            }
        }

        boolean epochsAreCommitted() {
            OffsetAndMetadata committed = commit();
            return committed != null && committed.metadata().contains(":epochs=");
        }

        OffsetAndMetadata commit() {
            return get(admin.listConsumerGroupOffsets("tandem." + topic).partitionsToOffsetAndMetadata())
                    .get(new TopicPartition(topic, 0));
        }
    }

    @BeforeAll
    static void cutLogs() throws IOException {
        kafka = Brokers.orSkip(() -> LocalKafka.builder()
                .mode(LocalMode.configured().withoutDocker())
                .data(data)
                .start());
        admin = Admin.create(Map.of("bootstrap.servers", kafka.address()));
        for (Reader each : List.of(above, below, gone, whole, back)) {
            each.readTheFirst();
        }
        gone.driver.close();
        heir = back.start();
        back.driver.call(() -> back.driver.source.rest(true));
        await().until(() -> back.driver.owned().isEmpty() && heir.owned().size() == 1);
        kafka.kill();
        for (Reader each : List.of(above, below, gone, back)) {
            each.cut();
        }
        kafka.start();
        for (Reader each : List.of(above, below, gone, back)) {
            each.append("new", CUT, END + 2);
        }
        whole.append("new", END, END + 2);
    }

    @AfterAll
    static void stop() {
        if (heir != null) {
            heir.close();
        }
        for (Reader each : List.of(above, below, gone, whole, back)) {
            if (each.driver != null) {
                each.driver.close();
            }
        }
        if (kafka != null) {
            admin.close();
            kafka.close();
        }
    }

    private static List<String> payloads(KafkaSourceDriver driver, Partition partition) {
        return driver.delivered(partition).stream()
                .map(Delivery::task)
                .map(task -> new String(task.payload(), StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> names(int from) {
        List<String> names = new ArrayList<>();
        IntStream.range(from, CUT).forEach(i -> names.add("old" + i));
        IntStream.range(Math.max(from, CUT), END + 2).forEach(i -> names.add("new" + i));
        return names;
    }

    @Test
    void memberThatReadBeyondTheCutGoesBackToItsCommittedOffset() {
        await().until(() -> payloads(above.driver, above.partition).contains("new11"));
        assertThat(payloads(above.driver, above.partition)).endsWith(names(3).toArray(new String[0]));
        assertThat(above.driver.events("cut"))
                .extracting(KafkaSourceDriver.Event::number)
                .containsOnly((long) CUT);
        assertThat(above.driver.events("lost")).isEmpty();
        assertThat(above.driver.delivered(above.partition))
                .as("not the whole log")
                .hasSize(END + names(3).size());
    }

    @Test
    void memberThatCommittedBeyondTheCutGoesOnAtTheCut() {
        await().until(() -> payloads(below.driver, below.partition).contains("new11"));
        assertThat(payloads(below.driver, below.partition)).endsWith(names(CUT).toArray(new String[0]));
        assertThat(below.driver.delivered(below.partition))
                .as("not the whole log")
                .hasSize(END + names(CUT).size());
        assertThat(below.driver.events("lost")).hasSize(1);
        assertThat(below.driver.events("assigned").get(1).facts().committed()).isEqualTo(CUT);
        assertThat(below.driver.events("cut").get(0).number()).isEqualTo(CUT);
        await().until(() -> below.commit().offset() == CUT);
    }

    @Test
    void nextMemberNoticesTheCutByTheFirstRecordOfANewLeader() {
        gone.driver = gone.start();
        await().until(() -> payloads(gone.driver, gone.partition).contains("new11"));
        assertThat(payloads(gone.driver, gone.partition)).endsWith(names(3).toArray(new String[0]));
        assertThat(gone.driver.events("cut"))
                .extracting(KafkaSourceDriver.Event::number)
                .containsOnly((long) CUT);
    }

    @Test
    void newLeaderOfAnUncutLogIsCommittedSoThatNobodyTakesItForACut() {
        await().until(() -> payloads(whole.driver, whole.partition).contains("new11"));
        assertThat(whole.driver.delivered(whole.partition)).hasSize(END + 2);
        assertThat(whole.commit().metadata())
                .as("the store may not know of a cut yet")
                .doesNotContain(":epochs=");
        whole.driver.call(() -> whole.driver.source.cutRecorded(whole.partition));
        await().until(whole::epochsAreCommitted);
        assertThat(whole.commit().leaderEpoch()).isPresent();
        int asked = whole.driver.events("cut").size();
        whole.driver.close();

        whole.driver = whole.start();
        await().until(() -> payloads(whole.driver, whole.partition).contains("new11"));
        assertThat(asked).as("the queue's loop said that nothing is void").isEqualTo(1);
        assertThat(whole.driver.events("cut")).isEmpty();
    }

    @Test
    void memberThatComesBackLearnsWhichOfItsFormerRecordsAreGone() {
        await().until(() -> payloads(heir, back.partition).contains("new11"));
        heir.call(() -> heir.source.cutRecorded(back.partition));
        await().until(back::epochsAreCommitted);
        heir.close();
        back.driver.call(() -> back.driver.source.rest(false));

        await().until(() -> back.driver.events("assigned").size() == 2);
        assertThat(back.driver.events("assigned"))
                .extracting(each -> each.facts().lostFrom())
                .containsExactly(Facts.NO_OFFSET, (long) CUT);
        assertThat(back.driver.events("cut"))
                .as("what was committed tells of the new leader")
                .isEmpty();
    }
}
