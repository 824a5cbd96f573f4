package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The path of a task from RabbitMQ through Redis to its ack, unordered and by key. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitIT {

    @Test
    void unorderedTasksRunOnceWithRetriesAndDelaysAndAllMessagesAreAcked() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("mail", false)) {
            try (TestWorker worker = new TestWorker(queue.worker())) {
                queue.awaitDeclared();
                for (int number = 0; number < 1_000; number++) {
                    queue.send("m" + number, 0, number % 50 == 0 ? "fail-once" : "ok");
                }
                for (int number = 0; number < 50; number++) {
                    queue.send("d" + number, 0, "ok", "tandem-delay", "500");
                }

                queue.awaitAllSucceeded();
                worker.awaitNothingUnsettled();
                assertThat(queue.history().duplicates()).isEmpty();
                assertThat(worker.status().succeeded()).isEqualTo(1_050);
                assertThat(worker.status().retried()).isEqualTo(20);
            }
            assertThat(queue.messages()).isZero();
        }
    }

    @Test
    void orderAndExclusionPerKeyHoldWithFailures() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (RabbitTestQueue queue = new RabbitTestQueue("keyed", true)) {
            try (TestWorker worker = new TestWorker(queue.worker())) {
                queue.awaitDeclared();
                for (int number = 0; number < 20; number++) {
                    for (int key = 0; key < 100; key++) {
                        queue.send("k" + key, number, random.nextInt(50) == 0 ? "fail-once" : "ok");
                    }
                }
                queue.awaitAllSucceeded();
                worker.awaitNothingUnsettled();
                RunHistory history = queue.history();
                history.assertOrderAndExclusion("seed " + seed);
                assertThat(history.duplicates()).isEmpty();
            }
            assertThat(queue.messages()).isZero();
        }
    }

    @Test
    void orderAndExclusionPerKeyHoldWhenOneOfTwoExecutorsLeaves() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Set<String> members = ConcurrentHashMap.newKeySet();
        try (RabbitTestQueue queue = new RabbitTestQueue("orders", true)) {
            try (TestWorker stays = new TestWorker(queue.worker(), () -> Set.copyOf(members))) {
                members.add(stays.id());
                queue.awaitDeclared();
                try (TestWorker leaves = new TestWorker(queue.worker(), () -> Set.copyOf(members))) {
                    members.add(leaves.id());
                    await("both workers to own half")
                            .atMost(TestQueue.PATIENCE)
                            .until(() -> leaves.status().partitions() == 2
                                    && stays.status().partitions() == 2);
                    for (int number = 0; number < 30; number++) {
                        for (int key = 0; key < 100; key++) {
                            queue.send("k" + key, number, random.nextInt(50) == 0 ? "fail-once" : "work");
                        }
                    }
                    queue.flush();
                    await().atMost(TestQueue.PATIENCE)
                            .until(() -> leaves.status().succeeded() > 300);
                    members.remove(leaves.id());
                }
                queue.awaitAllSucceeded();
                stays.awaitNothingUnsettled();
                RunHistory history = queue.history();
                history.assertOrderAndExclusion("seed " + seed);
                assertThat(history.duplicates()).isEmpty();
            }
            assertThat(queue.messages()).isZero();
        }
    }

    @Test
    void tasksOfAKilledExecutorRunAgainInOrder() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("killed", true);
                WorkerProcess victim = queue.startProcess()) {
            queue.awaitDeclared();
            for (int number = 0; number < 20; number++) {
                for (int key = 0; key < 50; key++) {
                    queue.send("k" + key, number, "work");
                }
            }
            queue.flush();
            await("some tasks to succeed")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> queue.history().succeeded().size() > 200);
            victim.kill();
            try (TestWorker successor = new TestWorker(queue.worker())) {
                queue.awaitAllSucceeded();
                successor.awaitNothingUnsettled();
                queue.history().assertOrderAndExclusion();
            }
            assertThat(queue.messages()).isZero();
        }
    }
}
