package dev.tandem.kafka;

import static dev.tandem.kafka.TestTopics.committed;
import static dev.tandem.kafka.TestTopics.fill;
import static dev.tandem.kafka.TestTopics.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A member that should have no partitions for now leaves the group, and comes back when asked to. */
@Execution(ExecutionMode.CONCURRENT)
class KafkaRestIT {

    private String servers;
    private String topic;

    @BeforeEach
    void connect() {
        servers = Brokers.kafka().bootstrapServers();
        topic = Brokers.kafka().topic("rest", 2);
        fill(servers, topic, 2, 10);
    }

    private KafkaSettings settings() {
        return KafkaSettings.of(servers, topic);
    }

    @Test
    void restingMemberCommitsAndLeavesItsPartitionsToOthersUntilItComesBack() {
        KafkaSourceDriver second = new KafkaSourceDriver(settings());
        try (KafkaSourceDriver first = KafkaSourceDriver.started(settings());
                second) {
            await().until(() -> first.owned().size() == 2);
            second.start();
            await().until(() -> first.owned().size() == 1 && second.owned().size() == 1);
            Partition left = first.owned().iterator().next();
            await().until(() -> first.position.getOrDefault(left, 0L) == 10);
            first.call(() -> {
                first.source.commit(left, 4);
                first.source.rest(true);
            });

            await().until(() -> second.owned().size() == 2);
            assertThat(first.owned()).isEmpty();
            assertThat(first.events("revoked", left)).hasSize(1);
            await().until(() -> second.delivered(left).size() == 6);
            assertThat(second.offsets(left)).as("from the last commit on").startsWith(4L);

            first.call(() -> first.source.rest(false));
            await().until(() -> first.owned().size() == 1 && second.owned().size() == 1);
            Partition back = first.owned().iterator().next();
            first.call(() -> first.source.commit(back, 10));
            await().until(() -> committed(Brokers.kafka().admin(), topic).get(Integer.parseInt(back.name())) == 10);
        }
    }

    @Test
    void soleMemberStaysUntilThereIsAnother() {
        try (KafkaSourceDriver first = KafkaSourceDriver.started(settings())) {
            await().until(() -> first.owned().size() == 2);
            first.call(() -> first.source.rest(true));
            first.call(() -> first.source.commit(Partition.of(topic, 0), 3));
            await().until(() -> !first.events("committed").isEmpty());
            assertThat(first.events("revoked")).isEmpty();

            try (KafkaSourceDriver second = KafkaSourceDriver.started(settings())) {
                await().until(() -> second.owned().size() == 2);
                assertThat(first.owned()).isEmpty();
            }
        }
    }

    @Test
    void memberThatRestsFromTheStartJoinsOnlyWhenAsked() {
        KafkaSourceDriver driver = new KafkaSourceDriver(settings());
        driver.source.rest(true);
        driver.start();
        try (driver) {
            await().until(() -> driver.source.status().connected());
            assertThat(get(Brokers.kafka().admin().listGroups().all()))
                    .extracting(group -> group.groupId())
                    .doesNotContain("tandem." + topic);
            assertThat(driver.events()).isEmpty();

            driver.call(() -> driver.source.rest(false));
            await().until(() -> driver.deliveredCount() == 20);
        }
    }
}
