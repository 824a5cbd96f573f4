package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Messages of RabbitMQ sub-queues that come again are known for what they were. */
class RabbitRedeliveryIT {

    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int ATTEMPTS = 3;

    @Test
    void tasksWithIdsAreRecordedOnceThoughTheirExecutorIsKilled() throws Exception {
        int keys = 100;
        int perKey = 100;
        try (RabbitQueue queue = new RabbitQueue("once", true);
                Child doomed = queue.child(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < perKey; number++) {
                for (int key = 0; key < keys; key++) {
                    queue.send("k" + key, number, "ok");
                }
            }
            queue.flush();
            await("work under way")
                    .atMost(Workplace.PATIENCE)
                    .pollInterval(LOOK)
                    .until(() -> queue.recorded() > 1_000);
            doomed.kill();
            try (Worker heir = new Worker(queue.worker())) {
                queue.awaitAllSucceeded();
                heir.awaitNothingUnsettled();
                queue.history().assertOrderAndExclusion();
            }
            assertThat(queue.runsOf(doomed)).as("runs of the killed one").isNotEmpty();
            queue.awaitNothingLeft();
            assertThat(queue.recorded()).isEqualTo(keys * perKey);
        }
    }

    @Test
    void equalMessagesWithoutIdsAreNeverTakenForOneAnother() throws Exception {
        int keys = 20;
        int perKey = 200;
        try (RabbitQueue queue = new RabbitQueue("equal", true);
                Child doomed = queue.child(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < perKey; number++) {
                for (int key = 0; key < keys; key++) {
                    queue.sendNameless("k" + key, "ok");
                }
            }
            queue.flush();
            await("work under way")
                    .atMost(Workplace.PATIENCE)
                    .pollInterval(LOOK)
                    .until(() -> queue.recorded() > 400);
            doomed.kill();
            try (Worker heir = new Worker(queue.worker())) {
                await("all of them")
                        .atMost(Workplace.PATIENCE)
                        .pollInterval(LOOK)
                        .until(() -> queue.recorded() >= keys * perKey && queue.messages() == 0);
                heir.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aPoisonousMessageThatKillsItsExecutorsIsDeadInTheEndAndAllOthersSucceed() throws Exception {
        try (RabbitQueue queue = new RabbitQueue("poison", true)) {
            int deaths = untilPoisonIsDead(queue, () -> {
                for (int number = 0; number < 20; number++) {
                    queue.send("good" + number % 4, number / 4, "work");
                }
            });
            assertThat(deaths).isEqualTo(ATTEMPTS);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aPoisonousMessageThatIsStartedRightAfterOthersOfItsKeyIsDeadInTheEndAndTheyAreNot() throws Exception {
        int before = 12;
        try (RabbitQueue queue = new RabbitQueue("relayed", true)) {
            // Its key's tasks go from one to the next without waiting for Redis, so the death may be laid to one
            // before.
            int deaths = untilPoisonIsDead(queue, () -> {}, () -> {
                for (int number = 0; number < before; number++) {
                    queue.send("bad", number, "work");
                }
            });
            assertThat(deaths).isBetween(ATTEMPTS, ATTEMPTS + before);
        }
    }

    private static int untilPoisonIsDead(RabbitQueue queue, Runnable afterItsFirst) throws Exception {
        return untilPoisonIsDead(queue, afterItsFirst, () -> {});
    }

    /** Starts executors until the task is dead. @return how many it killed */
    private static int untilPoisonIsDead(RabbitQueue queue, Runnable afterItsFirst, Runnable before) throws Exception {
        int deaths = 0;
        Child current = queue.child(queue.worker().retrying(1_000, ATTEMPTS).leasedFor(4_000));
        queue.awaitDeclared();
        before.run();
        queue.sendNameless("bad", "poison");
        queue.flush();
        while (DeadTasks.of(queue.name(), Worker.RABBIT_PARTITIONS).isEmpty()) {
            Child watched = current;
            await("death of the task or of its executor")
                    .atMost(Workplace.PATIENCE)
                    .until(() -> !watched.isRunning()
                            || !DeadTasks.of(queue.name(), Worker.RABBIT_PARTITIONS)
                                    .isEmpty());
            if (!watched.isRunning()) {
                watched.gone();
                watched.close();
                deaths++;
                if (deaths == 1) {
                    afterItsFirst.run();
                }
                current = queue.child(queue.worker().retrying(1_000, ATTEMPTS).leasedFor(4_000));
            }
        }
        try (Child last = current) {
            queue.awaitAllSucceeded();
            assertThat(DeadTasks.of(queue.name(), Worker.RABBIT_PARTITIONS))
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
    void aConnectionThatIsLostWhileTasksRunMakesNoneRunTwice() throws Exception {
        int keys = 16;
        try (RabbitQueue queue = new RabbitQueue("cut", true);
                BrokerProxy wire = new BrokerProxy(Brokers.rabbit().uri());
                Worker worker = new Worker(queue.worker().by(wire.uri()))) {
            queue.awaitDeclared();
            for (int key = 0; key < keys; key++) {
                queue.send("k" + key, 0, "hold");
            }
            for (int key = 0; key < keys; key++) {
                queue.awaitStarted("k" + key + "-0");
            }
            wire.down();
            await("loss").atMost(Workplace.PATIENCE).pollInterval(LOOK).until(() -> worker.unsettled() == 0);
            wire.up();
            await("redeliveries").atMost(Workplace.PATIENCE).pollInterval(LOOK).until(() -> worker.unsettled() == keys);
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
