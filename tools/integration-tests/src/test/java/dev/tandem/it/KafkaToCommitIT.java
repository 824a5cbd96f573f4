package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The path of a task through one process on real Kafka and Redis: acquire, claim, run, settle, commit. */
class KafkaToCommitIT {

    @Test
    void everyTaskRunsOnceInOrderAndAllOffsetsAreCommitted() {
        try (KafkaTestQueue topic = new KafkaTestQueue("orders", 8);
                TestWorker worker = new TestWorker(topic.worker())) {
            for (int number = 0; number < 50; number++) {
                for (int key = 0; key < 200; key++) {
                    topic.send("k" + key, number, "ok");
                }
            }

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            RunHistory history = topic.history();
            history.assertOrderAndExclusion();
            assertThat(history.runs()).hasSize(10_000);
            assertThat(worker.status().succeeded()).isEqualTo(10_000);
            assertThat(worker.status().healthy()).isTrue();
        }
    }
}
