package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.Brokers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tasks in Redis of partitions that a queue does not have any more are run to their end. */
@Execution(ExecutionMode.CONCURRENT)
class FewerPartitionsIT {

    private static final int KEYS = 12;

    @Test
    void delayedTasksRunAlthoughTheirTopicWasMadeAnewWithFewerPartitions() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("fewer", 4)) {
            try (TestWorker worker = new TestWorker(topic.worker())) {
                for (int key = 0; key < KEYS; key++) {
                    topic.send("k" + key, 0, "ok", KafkaTestQueue.header("tandem-delay", "PT10S"));
                }
                topic.awaitAllCommitted();
                assertThat(worker.status().partitions()).isEqualTo(4);
            }
            Brokers.kafka().admin().deleteTopics(List.of(topic.name())).all().get();
            Brokers.kafka().createTopic(topic.name(), 1);

            try (TestWorker worker = new TestWorker(topic.worker())) {
                topic.awaitAllSucceeded();
                await("the empty partitions are given up")
                        .atMost(TestQueue.PATIENCE)
                        .until(() -> worker.status().partitions() == 1);
            }
            assertThat(topic.history().runs()).hasSize(KEYS);
        }
    }
}
