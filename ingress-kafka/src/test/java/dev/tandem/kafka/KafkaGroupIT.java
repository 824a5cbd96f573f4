package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.committed;
import static dev.tandem.kafka.TestTopics.fill;
import static dev.tandem.kafka.TestTopics.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.kafka.KafkaSourceDriver.Event;
import dev.tandem.local.LocalKafka;
import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Group membership: partitions move between members, and the broker fences a member that was removed. */
class KafkaGroupIT {

    private String servers;
    private Admin admin;

    @BeforeEach
    void connect() {
        servers = Brokers.kafka().bootstrapServers();
        admin = Brokers.kafka().admin();
    }

    @Test
    void aSecondProcessGetsPartitionsOnlyAfterTheFirstGaveThemUp() {
        String topic = Brokers.kafka().topic("share", 4);
        Set<Partition> all = partitions(topic, 4);
        fill(servers, topic, 4, 10);
        KafkaSourceDriver first = new KafkaSourceDriver(KafkaSettings.of(servers, topic));
        // This last commit must be visible before the next owner looks up its offsets.
        first.onRevoked = partition -> first.source.commit(partition, 6);
        first.start();
        try (first) {
            await().until(() -> first.deliveredCount() == 40);
            try (KafkaSourceDriver second = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
                await().until(() -> second.deliveredCount() == 8);

                assertThat(first.owned()).hasSize(2);
                assertThat(second.owned()).hasSize(2);
                Set<Partition> together = new HashSet<>(first.owned());
                together.addAll(second.owned());
                assertThat(together).isEqualTo(all);
                for (Partition moved : second.owned()) {
                    Event revoked = first.events("revoked", moved).get(0);
                    Event committed = first.events("committed", moved).get(0);
                    Event assigned = second.events("assigned", moved).get(0);
                    assertThat(List.of(revoked.at(), committed.at(), assigned.at()))
                            .isSorted();
                    assertThat(assigned.facts().committed()).isEqualTo(6);
                    assertThat(second.offsets(moved)).containsExactly(6L, 7L, 8L, 9L);
                }
                for (Partition kept : first.owned()) {
                    assertThat(first.events("revoked", kept)).isEmpty();
                    assertThat(first.delivered(kept)).as("not delivered again").hasSize(10);
                }
                assertThat(first.events("lost")).isEmpty();
            }
            await("the first takes over what the second leaves")
                    .until(() -> first.owned().equals(all));
        }
    }

    @Test
    void aMemberWithAnIdLeavesAtOnceAndADeadOneCanBeRemoved() {
        String topic = Brokers.kafka().topic("members", 2);
        KafkaSettings settings =
                KafkaSettings.of(servers, topic).withProperties(Map.of("session.timeout.ms", "300000"));
        try (KafkaSourceDriver first = KafkaSourceDriver.started(settings.withMemberId("first"))) {
            try (KafkaSourceDriver second = KafkaSourceDriver.started(settings.withMemberId("second"))) {
                await().until(() -> second.owned().size() == 1);
            }
            await("the first has what the second left")
                    .until(() -> first.owned().equals(partitions(topic, 2)));

            try (KafkaConsumer<byte[], byte[]> dead = new KafkaConsumer<>(
                    ClientProperties.consumer(settings.withMemberId("dead")),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer())) {
                dead.subscribe(List.of(topic));
                await().until(() -> dead.poll(Duration.ofMillis(100)).isEmpty()
                        && first.owned().size() == 1);
                dead.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.REMAIN_IN_GROUP));
            }
            first.source.removeMember("nobody");
            first.source.removeMember("first");
            first.source.removeMember("dead");
            await("the first has what the dead one had")
                    .until(() -> first.owned().equals(partitions(topic, 2)));
        }
    }

    @Test
    void ignoresRequestsForAPartitionThatIsGone() {
        String topic = Brokers.kafka().topic("gone", 2);
        fill(servers, topic, 2, 10);
        try (KafkaSourceDriver first = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> first.deliveredCount() == 20);
            try (KafkaSourceDriver second = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
                await().until(() -> second.owned().size() == 1);
                Partition moved = second.owned().iterator().next();
                Partition kept = first.owned().iterator().next();

                first.call(() -> {
                    first.source.commit(moved, 9);
                    first.source.rewind(moved);
                    first.source.pause(moved);
                    first.source.open(moved);
                    first.source.confirm(moved);
                    first.source.commit(kept, 9);
                });

                await().until(() -> !first.events("committed", kept).isEmpty());
                assertThat(first.events("committed", moved)).isEmpty();
                assertThat(committed(admin, topic).get(Integer.parseInt(moved.name())))
                        .isZero();
            }
        }
    }

    @Test
    void assignsPartitionsThatAreAddedToTheTopic() {
        String topic = Brokers.kafka().topic("grow", 1);
        KafkaSettings settings = KafkaSettings.of(servers, topic).withProperties(Map.of("metadata.max.age.ms", "500"));
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(settings)) {
            await().until(() -> driver.owned().size() == 1);
            get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3)))
                    .all());
            await().until(() -> driver.owned().size() == 3);
        }
    }

    @Test
    void confirmsACurrentMemberWithFreshOffsets() {
        String topic = Brokers.kafka().topic("confirm", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(KafkaSettings.of(servers, topic))) {
            await().until(() -> driver.deliveredCount() == 10);
            driver.call(() -> driver.source.commit(partition, 5));
            await().until(() -> !driver.events("committed").isEmpty());

            driver.call(() -> driver.source.confirm(partition));

            await().until(() -> !driver.events("confirmed").isEmpty());
            Event assigned = driver.events("assigned").get(0);
            Event confirmed = driver.events("confirmed").get(0);
            assertThat(confirmed.facts().committed()).isEqualTo(5);
            assertThat(confirmed.facts().sourceId())
                    .isEqualTo(assigned.facts().sourceId())
                    .isNotEmpty();
            assertThat(confirmed.facts().generation())
                    .isEqualTo(assigned.facts().generation())
                    .isPositive();
            assertThat(committed(admin, topic)).containsEntry(0, 5L);
        }
    }

    @Test
    void aRemovedMemberIsNotConfirmedAndLosesItsPartitionUntilItRejoins() {
        String topic = Brokers.kafka().topic("fenced", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        KafkaSourceDriver driver = new KafkaSourceDriver(KafkaSettings.of(servers, topic)
                .withProperties(
                        // The fenced commit, not a heartbeat, must reveal that the member was removed.
                        Map.of("heartbeat.interval.ms", "200000", "session.timeout.ms", "600000")));
        driver.start();
        try (driver) {
            await().until(() -> driver.deliveredCount() == 10);
            get(admin.removeMembersFromConsumerGroup("tandem." + topic, new RemoveMembersFromConsumerGroupOptions())
                    .all());

            driver.call(() -> {
                driver.source.commit(partition, 3);
                driver.source.confirm(partition);
            });

            await().until(() -> driver.events("assigned").size() == 2);
            assertThat(driver.events("confirmed")).isEmpty();
            assertThat(driver.events("committed")).isEmpty();
            // The client may tell of the loss before it gives the commit's answer, which is dropped then.
            assertThat(driver.events()).extracting(Event::kind).containsSubsequence("assigned", "lost", "assigned");
            assertThat(driver.events("assigned").get(1).facts().committed()).isEqualTo(-1);
            await().until(() -> driver.deliveredCount() == 20);
        }
    }

    /** The member stays in its group, so that nothing else tells of the failure. */
    @Test
    void aCommitThatTheBrokerRefusesIsReportedAndThePartitionIsKept() {
        String topic = UniqueNames.fresh("refused");
        Partition partition = Partition.of(topic, 0);
        try (LocalKafka strict = Brokers.orSkip(() -> LocalKafka.builder()
                        .setting("offset.metadata.max.bytes", "1")
                        .start());
                KafkaSourceDriver driver = KafkaSourceDriver.started(
                        KafkaSettings.of(strict.address(), topic).withPartitions(1))) {
            await().until(() -> driver.owned().size() == 1);
            fill(strict.address(), topic, 1, 10);
            await().until(() -> driver.deliveredCount() == 10);

            driver.call(() -> driver.source.commit(partition, 5));

            await().until(() -> !driver.events("commitFailed", partition).isEmpty());
            assertThat(driver.events("committed")).isEmpty();
            fill(strict.address(), topic, 1, 10);
            await().until(() -> driver.deliveredCount() == 20);
            assertThat(driver.events()).extracting(Event::kind).doesNotContain("lost", "revoked");
            assertThat(driver.offsets(partition)).doesNotHaveDuplicates();
        }
    }

    @Test
    void reportsADeletedTopicAndReadsARecreatedOneFromItsStart() {
        String topic = Brokers.kafka().topic("again", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        KafkaSettings settings = KafkaSettings.of(servers, topic).withProperties(Map.of("metadata.max.age.ms", "500"));
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(settings)) {
            await().until(() -> driver.deliveredCount() == 10);
            driver.call(() -> driver.source.commit(partition, 5));
            await().until(() -> !driver.events("committed").isEmpty());

            get(admin.deleteTopics(List.of(topic)).all());
            // Before its first look at the cluster, a source is not connected either.
            await().until(() -> driver.source.status().detail().contains("does not exist"));
            assertThat(driver.source.status().connected()).isFalse();
            await().until(() -> driver.owned().isEmpty());

            Brokers.kafka().createTopic(topic, 1);
            fill(servers, topic, 1, 20);

            await().until(() -> driver.deliveredCount() == 30);
            assertThat(driver.offsets(partition).subList(10, 30))
                    .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
            List<Event> assigned = driver.events("assigned");
            assertThat(assigned.get(1).facts().sourceId())
                    .isNotEqualTo(assigned.get(0).facts().sourceId());
            await().until(() -> driver.source.status().connected());
        }
    }

    /** If nobody saw the topic missing, the consumer reads on in the new log until the topic's id is checked. */
    @Test
    void readsATopicThatIsRecreatedAtOnceFromItsStart() {
        String topic = Brokers.kafka().topic("twin", 1);
        Partition partition = Partition.of(topic, 0);
        fill(servers, topic, 1, 10);
        KafkaSettings settings = KafkaSettings.of(servers, topic).withProperties(Map.of("metadata.max.age.ms", "500"));
        try (KafkaSourceDriver driver = KafkaSourceDriver.started(settings)) {
            await().until(() -> driver.deliveredCount() == 10);
            driver.call(() -> driver.source.commit(partition, 10));
            await().until(() -> !driver.events("committed").isEmpty());
            String former = driver.events("assigned").get(0).facts().sourceId();

            get(admin.deleteTopics(List.of(topic)).all());
            Brokers.kafka().createTopic(topic, 1);
            fill(servers, topic, 1, 20);

            await().until(() ->
                    !last(driver.events("assigned")).facts().sourceId().equals(former));
            List<Long> all = LongStream.range(0, 20).boxed().toList();
            await().untilAsserted(() -> assertThat(driver.offsets(partition)).endsWith(all.toArray(Long[]::new)));
            assertThat(last(driver.events("assigned")).facts().committed()).isEqualTo(-1);
        }
    }

    private static Event last(List<Event> events) {
        return events.get(events.size() - 1);
    }

    private static Set<Partition> partitions(String queue, int count) {
        return IntStream.range(0, count)
                .mapToObj(each -> Partition.of(queue, each))
                .collect(Collectors.toSet());
    }
}
