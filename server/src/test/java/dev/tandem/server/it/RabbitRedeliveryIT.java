package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Redelivered messages of RabbitMQ sub-queues are recognised. */
class RabbitRedeliveryIT {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final int ATTEMPTS = 3;

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
            await("some tasks to succeed")
                    .atMost(TestQueue.PATIENCE)
                    .pollInterval(POLL_INTERVAL)
                    .until(() -> queue.recorded() > 1_000);
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
        try (RabbitTestQueue queue = new RabbitTestQueue("equal", true);
                WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < perKey; number++) {
                for (int key = 0; key < keys; key++) {
                    queue.sendWithoutId("k" + key, "ok");
                }
            }
            queue.flush();
            await("some tasks to succeed")
                    .atMost(TestQueue.PATIENCE)
                    .pollInterval(POLL_INTERVAL)
                    .until(() -> queue.recorded() > 400);
            victim.kill();
            try (TestWorker successor = new TestWorker(queue.worker())) {
                await("all tasks")
                        .atMost(TestQueue.PATIENCE)
                        .pollInterval(POLL_INTERVAL)
                        .until(() -> queue.recorded() >= keys * perKey && queue.messages() == 0);
                successor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void poisonMessageThatKillsItsExecutorsBecomesDeadAndOthersSucceed() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("poison", true)) {
            int deaths = runUntilPoisonIsDead(queue, () -> {
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
            int deaths = runUntilPoisonIsDead(queue, () -> {}, () -> {
                for (int number = 0; number < before; number++) {
                    queue.send("bad", number, "work");
                }
            });
            assertThat(deaths).isBetween(ATTEMPTS, ATTEMPTS + before);
        }
    }

    private static int runUntilPoisonIsDead(RabbitTestQueue queue, Runnable afterFirstDeath) throws Exception {
        return runUntilPoisonIsDead(queue, afterFirstDeath, () -> {});
    }

    /** Starts executors until the poison task is dead. @return how many executors it killed */
    private static int runUntilPoisonIsDead(RabbitTestQueue queue, Runnable afterFirstDeath, Runnable before)
            throws Exception {
        int deaths = 0;
        WorkerProcess current =
                queue.startProcess(queue.worker().retrying(1_000, ATTEMPTS).leasedFor(4_000));
        queue.awaitDeclared();
        before.run();
        queue.sendWithoutId("bad", "poison");
        queue.flush();
        while (DeadTasks.of(queue.name(), TestWorker.RABBIT_PARTITIONS).isEmpty()) {
            WorkerProcess watched = current;
            await("death of the task or of its executor")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> !watched.isRunning()
                            || !DeadTasks.of(queue.name(), TestWorker.RABBIT_PARTITIONS)
                                    .isEmpty());
            if (!watched.isRunning()) {
                watched.markDead();
                watched.close();
                deaths++;
                if (deaths == 1) {
                    afterFirstDeath.run();
                }
                current = queue.startProcess(
                        queue.worker().retrying(1_000, ATTEMPTS).leasedFor(4_000));
            }
        }
        try (WorkerProcess last = current) {
            queue.awaitAllSucceeded();
            assertThat(DeadTasks.of(queue.name(), TestWorker.RABBIT_PARTITIONS))
                    .singleElement()
                    .satisfies(dead -> {
                        assertThat(dead.task().key()).isEqualTo("bad");
                        assertThat(dead.error()).contains("all 3 attempts are used up");
                    });
            assertThat(last.isRunning()).isTrue();
        }
        return deaths;
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
            wire.down();
            await("the loss of the connection")
                    .atMost(TestQueue.PATIENCE)
                    .pollInterval(POLL_INTERVAL)
                    .until(() -> worker.unsettled() == 0);
            wire.up();
            await("the redeliveries")
                    .atMost(TestQueue.PATIENCE)
                    .pollInterval(POLL_INTERVAL)
                    .until(() -> worker.unsettled() == keys);
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
