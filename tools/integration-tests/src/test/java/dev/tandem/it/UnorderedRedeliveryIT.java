package dev.tandem.it;

import static dev.tandem.it.RedeliverySteps.ATTEMPTS;
import static dev.tandem.it.RedeliverySteps.await;
import static dev.tandem.it.RedeliverySteps.cutAndRestore;
import static dev.tandem.it.RedeliverySteps.runTasksWithoutIdsWhileTheirExecutorIsKilled;
import static dev.tandem.it.RedeliverySteps.runUntilPoisonIsDead;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.RedisCheckpoint;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Redelivered messages of an unordered RabbitMQ queue are recognised, whichever partition they reach. */
class UnorderedRedeliveryIT {

    @Test
    void tasksWithIdsAreRecordedOnceEvenIfTheirExecutorIsKilled() throws Exception {
        int tasks = 10_000;
        AtomicReference<Set<String>> others = new AtomicReference<>(Set.of("another"));
        try (RabbitTestQueue queue = new RabbitTestQueue("scattered", false);
                TestWorker survivor = new TestWorker(queue.worker().leasedFor(4_000), others::get)) {
            await("half of the partitions", () -> survivor.status().partitions() == TestWorker.RABBIT_PARTITIONS / 2);
            queue.awaitDeclared();
            try (WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(4_000))) {
                await("the channels of both", () -> queue.consumers() == 4);
                for (int number = 0; number < tasks; number++) {
                    queue.send("k", number, number % 100 == 0 ? "fail-once" : "ok");
                }
                queue.flush();
                await("runs of the victim process", () -> queue.runsOf(victim).size() > 1_000);
                victim.kill();
                // Its messages are redelivered to the survivor at once, while the leases of its partitions are valid.
                others.set(Set.of());
                queue.awaitAllSucceeded();
                // Tasks that ended just before their executor died were not recorded. They run again when their claims
                // have lapsed.
                await("all successes to be recorded", () -> queue.recorded() >= tasks);
                survivor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
            assertThat(queue.recorded()).isEqualTo(tasks);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void tasksOfAKilledExecutorWaitForOneLease() throws Exception {
        int lease = 12_000;
        try (RabbitTestQueue queue = new RabbitTestQueue("orphaned", false);
                WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(lease))) {
            queue.awaitDeclared();
            queue.send("k", 0, "hold");
            queue.awaitStarted("k-0");
            victim.kill();
            long killedAt = System.nanoTime();
            try (TestWorker successor = new TestWorker(queue.worker().leasedFor(lease))) {
                await(
                        "the task to run again",
                        () -> queue.history().runsOf("k-0").size() == 2);
                RunHistory.Run again = queue.history().runsOf("k-0").get(1);
                assertThat(TimeUnit.NANOSECONDS.toMillis(again.start() - killedAt))
                        .as("ms without a run, of which a busy machine takes some")
                        .isLessThan(lease * 2L);
                assertThat(again.attempt()).isEqualTo(2);
                successor.release();
                queue.awaitAllSucceeded();
                successor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void equalMessagesWithoutIdsAreNeverConfused() throws Exception {
        int tasks = 4_000;
        try (RabbitTestQueue queue = new RabbitTestQueue("alike", false)) {
            runTasksWithoutIdsWhileTheirExecutorIsKilled(queue, tasks, () -> {
                for (int number = 0; number < tasks; number++) {
                    queue.sendWithoutId("k", "ok");
                }
            });
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void poisonMessageThatKillsItsExecutorsBecomesDead() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("venom", false)) {
            assertThat(runUntilPoisonIsDead(queue, () -> {}, () -> {})).isEqualTo(ATTEMPTS);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void lostConnectionMakesNoRunningTaskRunTwice() throws Exception {
        int tasks = 64;
        try (RabbitTestQueue queue = new RabbitTestQueue("severed", false);
                BrokerProxy wire = new BrokerProxy(Brokers.rabbit().uri());
                // A task without an id that was adopted just before its connection is lost may run again, since its ack
                // may be lost: see docs/guarantees.md. So none may be adopted before.
                TestWorker worker =
                        new TestWorker(queue.worker().via(wire.uri()).adoptingAfter(10_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < tasks; number++) {
                if (number % 2 == 0) {
                    queue.send("k", number, "hold");
                } else {
                    queue.expect("n" + number + "-0");
                    queue.sendWithoutId("n" + number, "hold");
                }
            }
            queue.flush();
            await("all tasks to run", () -> queue.history().runs().size() == tasks);
            cutAndRestore(wire, worker, unsettled -> unsettled > 0);
            // The tasks are still running here, and their messages are acked.
            worker.awaitNothingUnsettled();
            worker.release();
            queue.awaitAllSucceeded();
            assertThat(queue.history().runs()).as("each ran once").hasSize(tasks);
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void nothingIsLostWhenRedisForgetsItsLastWritesAfterAKill() throws Exception {
        int tasks = 3_000;
        try (LocalRedis redis = Brokers.ownRedis();
                RabbitTestQueue queue = new RabbitTestQueue("amnesia", false, redis.address());
                WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < tasks; number++) {
                queue.send("k", number, number % 20 == 0 ? "fail-once" : "work");
            }
            queue.flush();
            await("some tasks to succeed", () -> queue.history().succeeded().size() > 200);
            RedisCheckpoint checkpoint = redis.checkpoint();
            int before = queue.history().succeeded().size();
            await(
                    "more successes, which Redis will forget",
                    () -> queue.history().succeeded().size() > before + 200);
            victim.kill();
            redis.restartFrom(checkpoint);
            try (TestWorker successor = new TestWorker(queue.worker())) {
                queue.awaitAllSucceeded();
                successor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }
}
