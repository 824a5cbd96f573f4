package dev.tandem.it;

import static dev.tandem.it.RedeliverySteps.ATTEMPTS;
import static dev.tandem.it.RedeliverySteps.await;
import static dev.tandem.it.RedeliverySteps.cutAndRestore;
import static dev.tandem.it.RedeliverySteps.runTasksWithoutIdsWhileTheirExecutorIsKilled;
import static dev.tandem.it.RedeliverySteps.runUntilPoisonIsDead;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Redelivered messages of RabbitMQ sub-queues are recognised. */
class RabbitRedeliveryIT {

    @Test
    void tasksWithIdsAreRecordedOnceEvenIfTheirExecutorIsKilled() throws Exception {
        int keys = 100;
        int perKey = 100;
        try (RabbitTestQueue queue = new RabbitTestQueue("once", true);
                WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < perKey; number++) {
                for (int key = 0; key < keys; key++) {
                    queue.send("k" + key, number, "ok");
                }
            }
            queue.flush();
            await("some tasks to succeed", () -> queue.recorded() > 1_000);
            victim.kill();
            try (TestWorker successor = new TestWorker(queue.worker())) {
                queue.awaitAllSucceeded();
                successor.awaitNothingUnsettled();
                queue.history().assertOrderAndExclusion();
            }
            assertThat(queue.runsOf(victim)).as("runs of the killed process").isNotEmpty();
            queue.awaitNothingLeft();
            assertThat(queue.recorded()).isEqualTo(keys * perKey);
        }
    }

    @Test
    void equalMessagesWithoutIdsAreNeverConfused() throws Exception {
        int keys = 20;
        int perKey = 200;
        try (RabbitTestQueue queue = new RabbitTestQueue("equal", true)) {
            runTasksWithoutIdsWhileTheirExecutorIsKilled(queue, keys * perKey, () -> {
                for (int number = 0; number < perKey; number++) {
                    for (int key = 0; key < keys; key++) {
                        queue.sendWithoutId("k" + key, "ok");
                    }
                }
            });
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void poisonMessageThatKillsItsExecutorsBecomesDeadAndOthersSucceed() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("poison", true)) {
            int deaths = runUntilPoisonIsDead(queue, () -> {}, () -> {
                for (int number = 0; number < 20; number++) {
                    queue.send("good" + number % 4, number / 4, "work");
                }
            });
            assertThat(deaths).isEqualTo(ATTEMPTS);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void poisonMessageStartedByRelayBecomesDeadAndItsPredecessorsDoNot() throws Exception {
        int before = 12;
        try (RabbitTestQueue queue = new RabbitTestQueue("relayed", true)) {
            // The key's tasks start by relay, without waiting for Redis, so an earlier task may be blamed for a death.
            int deaths = runUntilPoisonIsDead(
                    queue,
                    () -> {
                        for (int number = 0; number < before; number++) {
                            queue.send("bad", number, "work");
                        }
                    },
                    () -> {});
            assertThat(deaths).isBetween(ATTEMPTS, ATTEMPTS + before);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void lostConnectionMakesNoRunningTaskRunTwice() throws Exception {
        int keys = 16;
        try (RabbitTestQueue queue = new RabbitTestQueue("cut", true);
                BrokerProxy wire = new BrokerProxy(Brokers.rabbit().uri());
                TestWorker worker = new TestWorker(queue.worker().via(wire.uri()))) {
            queue.awaitDeclared();
            for (int key = 0; key < keys; key++) {
                queue.send("k" + key, 0, "hold");
            }
            for (int key = 0; key < keys; key++) {
                queue.awaitStarted("k" + key + "-0");
            }
            cutAndRestore(wire, worker, unsettled -> unsettled == keys);
            for (int key = 0; key < keys; key++) {
                queue.send("k" + key, 1, "ok");
            }
            worker.release();
            queue.awaitAllSucceeded();
            worker.awaitNothingUnsettled();
            assertThat(queue.history().runs()).as("each ran once").hasSize(2 * keys);
            queue.history().assertOrderAndExclusion();
            queue.awaitNothingLeft();
        }
    }
}
