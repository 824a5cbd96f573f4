package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Committed offsets that the workers did not commit: of a former topic, or set by an operator. */
class OffsetsIT {

    private static final int PARTITIONS = 2;
    private static final int KEYS = 10;

    private final Admin admin = Brokers.kafka().admin();

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void topicRecreatedWhileNoWorkerRunsIsReadFromItsStart() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("again", PARTITIONS)) {
            try (TestWorker worker = new TestWorker(topic.worker())) {
                send(topic, 0, 5);
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
            }
            Map<TopicPartition, OffsetAndMetadata> former = offsets(topic);
            recreate(topic);
            send(topic, 5, 10);
            topic.flush();
            // Like a commit that was in flight when the topic was deleted.
            await("the group's coordinator to know the new topic")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> isAltered("tandem." + topic.name(), former));

            try (TestWorker worker = new TestWorker(topic.worker())) {
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
            }
            RunHistory history = topic.history();
            history.assertOrderAndExclusion();
            assertThat(history.duplicates()).isEmpty();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void topicRecreatedWhileAWorkerRunsLosesNoTask() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("twin", PARTITIONS);
                TestWorker worker = new TestWorker(topic.worker().leasedFor(4_000))) {
            send(topic, 0, 5);
            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();

            recreate(topic);
            send(topic, 5, 15);

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void offsetsSetBackByAnOperatorRunAgain() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("back", PARTITIONS)) {
            try (TestWorker worker = new TestWorker(topic.worker())) {
                send(topic, 0, 5);
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
            }
            Map<TopicPartition, OffsetAndMetadata> start = new HashMap<>();
            offsets(topic).keySet().forEach(each -> start.put(each, new OffsetAndMetadata(0)));
            admin.alterConsumerGroupOffsets("tandem." + topic.name(), start)
                    .all()
                    .get();

            try (TestWorker worker = new TestWorker(topic.worker())) {
                await("all tasks to run again")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .pollInterval(KafkaTestQueue.POLL_INTERVAL)
                        .until(() -> topic.expected().stream()
                                .allMatch(id -> topic.history().runsOf(id).size() == 2));
                topic.awaitAllCommitted();
            }
        }
    }

    private static void send(KafkaTestQueue topic, int from, int to) {
        for (int number = from; number < to; number++) {
            for (int key = 0; key < KEYS; key++) {
                topic.send("k" + key, number, "ok");
            }
        }
    }

    private void recreate(KafkaTestQueue topic) throws Exception {
        admin.deleteTopics(List.of(topic.name())).all().get();
        Brokers.kafka().createTopic(topic.name(), PARTITIONS);
    }

    private Map<TopicPartition, OffsetAndMetadata> offsets(KafkaTestQueue topic) throws Exception {
        return admin.listConsumerGroupOffsets("tandem." + topic.name())
                .partitionsToOffsetAndMetadata()
                .get();
    }

    /** Commits offsets for a group. @return false if its coordinator does not know the topic yet */
    private boolean isAltered(String group, Map<TopicPartition, OffsetAndMetadata> offsets) throws Exception {
        try {
            admin.alterConsumerGroupOffsets(group, offsets).all().get();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }
}
