package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Partitions that move while keys are blocked or tasks arrive. */
class RebalanceIT {

    /** Of nine tasks behind a blocked head, so that six are passed over, and read again by whoever owns the partition then. */
    private static final int MAX_PARKED = 3;

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void blockedKeyStaysInOrderThroughARebalance() {
        int keys = 40;
        try (KafkaTestQueue topic = new KafkaTestQueue("moving", 8);
                TestWorker first = new TestWorker(topic.worker().retrying(5_000, 4), MAX_PARKED)) {
            for (int key = 0; key < keys; key++) {
                topic.send("k" + key, 0, "fail-once");
                for (int number = 1; number < 10; number++) {
                    topic.send("k" + key, number, "ok");
                }
            }
            await("every key blocked by its failed head")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().ids(run -> run.number() == 0).size() == keys);
            try (TestWorker second = new TestWorker(topic.worker().retrying(5_000, 4), MAX_PARKED)) {
                await("both workers to own half")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> first.status().partitions() == 4
                                && second.status().partitions() == 4);
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
                RunHistory history = topic.history();
                history.assertOrderAndExclusion();
                assertThat(history.duplicates()).isEmpty();
                assertThat(second.status().succeeded())
                        .as("the second one took part")
                        .isPositive();
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void noTaskIsSkippedWhenExecutorsJoinAndDieUnderLoad() {
        try (KafkaTestQueue topic = new KafkaTestQueue("joining", 8);
                WorkerProcess victim = topic.startProcess(topic.worker().leasedFor(4_000));
                WorkerProcess survivor = topic.startProcess(topic.worker().leasedFor(4_000))) {
            for (int number = 0; number < 50; number++) {
                for (int key = 0; key < 200; key++) {
                    topic.send("k" + key, number, "work");
                }
            }
            await("some tasks to succeed")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().succeeded().size() > 2_500);
            victim.kill();

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            topic.history().assertOrderAndExclusion();
            assertThat(survivor.isRunning()).isTrue();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void noTaskRunsTwiceWhenAnExecutorLeavesUnderLoad() {
        try (KafkaTestQueue topic = new KafkaTestQueue("leaving", 8);
                TestWorker stays = new TestWorker(topic.worker())) {
            try (TestWorker leaves = new TestWorker(topic.worker())) {
                await().atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> leaves.status().partitions() == 4);
                for (int number = 0; number < 40; number++) {
                    for (int key = 0; key < 100; key++) {
                        topic.send("k" + key, number, "work");
                    }
                }
                await().atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> leaves.status().succeeded() > 200);
            }
            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            RunHistory history = topic.history();
            history.assertOrderAndExclusion();
            assertThat(history.duplicates()).isEmpty();
            assertThat(stays.status().partitions()).isEqualTo(8);
        }
    }
}
