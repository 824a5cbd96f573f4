package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.RedisCheckpoint;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Messages of an unordered RabbitMQ queue that come again, to whatever partition, are known for what they were. */
class UnorderedRedeliveryIT {

    private static final Duration LOOK = Duration.ofMillis(20);

    @Test
    void tasksWithIdsAreRecordedOnceThoughTheirExecutorIsKilled() throws Exception {
        int tasks = 10_000;
        AtomicReference<Set<String>> others = new AtomicReference<>(Set.of("another"));
        try (RabbitQueue queue = new RabbitQueue("scattered", false);
                Worker survivor = new Worker(queue.worker().leasedFor(4_000), others::get)) {
            await("its half")
                    .atMost(Workplace.PATIENCE)
                    .until(() -> survivor.status().partitions() == Worker.RABBIT_PARTITIONS / 2);
            queue.awaitDeclared();
            try (Child doomed = queue.child(queue.worker().leasedFor(4_000))) {
                await("its channels").atMost(Workplace.PATIENCE).until(() -> queue.consumers() == 4);
                for (int number = 0; number < tasks; number++) {
                    queue.send("k", number, number % 100 == 0 ? "fail-once" : "ok");
                }
                queue.flush();
                await("work of the doomed one")
                        .atMost(Workplace.PATIENCE)
                        .pollInterval(LOOK)
                        .until(() -> queue.runsOf(doomed).size() > 1_000);
                doomed.kill();
                // What it had comes to the survivor at once, while the leases of its partitions still live.
                others.set(Set.of());
                queue.awaitAllSucceeded();
                // Those that ended when their executor died were not recorded, and run again when their claims have
                // lapsed.
                await("all are recorded").atMost(Workplace.PATIENCE).until(() -> queue.recorded() >= tasks);
                survivor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
            assertThat(queue.recorded()).isEqualTo(tasks);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void equalMessagesWithoutIdsAreNeverTakenForOneAnother() throws Exception {
        int tasks = 4_000;
        try (RabbitQueue queue = new RabbitQueue("alike", false);
                Child doomed = queue.child(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < tasks; number++) {
                queue.sendNameless("k", "ok");
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
                        .until(() -> queue.recorded() >= tasks && queue.messages() == 0);
                heir.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aPoisonousMessageThatKillsItsExecutorsIsDeadInTheEnd() throws Exception {
        int attempts = 3;
        int deaths = 0;
        try (RabbitQueue queue = new RabbitQueue("venom", false)) {
            Worker.Options options = queue.worker().retrying(1_000, attempts).leasedFor(4_000);
            Child current = queue.child(options);
            queue.awaitDeclared();
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
                    current =
                            queue.child(queue.worker().retrying(1_000, attempts).leasedFor(4_000));
                }
            }
            try (Child last = current) {
                assertThat(deaths).isEqualTo(attempts);
                assertThat(DeadTasks.of(queue.name(), Worker.RABBIT_PARTITIONS))
                        .singleElement()
                        .satisfies(dead -> assertThat(dead.error()).contains("all 3 attempts are used up"));
                assertThat(last.isRunning()).isTrue();
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aConnectionThatIsLostWhileTasksRunMakesNoneRunTwice() throws Exception {
        int tasks = 64;
        try (RabbitQueue queue = new RabbitQueue("severed", false);
                BrokerProxy wire = new BrokerProxy(Brokers.rabbit().uri());
                Worker worker = new Worker(queue.worker().by(wire.uri()))) {
            queue.awaitDeclared();
            for (int number = 0; number < tasks; number++) {
                if (number % 2 == 0) {
                    queue.send("k", number, "hold");
                } else {
                    queue.expect("n" + number + "-0");
                    queue.sendNameless("n" + number, "hold");
                }
            }
            queue.flush();
            // Soon: Redis takes over what runs for longer than the horizon.
            await("all run")
                    .atMost(Workplace.PATIENCE)
                    .pollInterval(LOOK)
                    .until(() -> queue.history().runs().size() == tasks);
            wire.down();
            await("loss").atMost(Workplace.PATIENCE).pollInterval(LOOK).until(() -> worker.unsettled() == 0);
            wire.up();
            await("redeliveries").atMost(Workplace.PATIENCE).pollInterval(LOOK).until(() -> worker.unsettled() > 0);
            // They run here still, and their messages are acked.
            worker.awaitNothingUnsettled();
            worker.release();
            queue.awaitAllSucceeded();
            assertThat(queue.history().runs()).as("each ran once").hasSize(tasks);
            queue.awaitNothingLeft();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void nothingIsLostWhenRedisForgetsItsLastWritesWithinTheHorizonAfterAKill() throws Exception {
        int tasks = 3_000;
        try (LocalRedis redis = Brokers.ownRedis();
                RabbitQueue queue = new RabbitQueue("amnesia", false, redis.address());
                Child doomed = queue.child(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            for (int number = 0; number < tasks; number++) {
                queue.send("k", number, number % 20 == 0 ? "fail-once" : "work");
            }
            queue.flush();
            await("work under way")
                    .atMost(Workplace.PATIENCE)
                    .pollInterval(LOOK)
                    .until(() -> queue.history().succeeded().size() > 200);
            RedisCheckpoint checkpoint = redis.checkpoint();
            int before = queue.history().succeeded().size();
            await("more that will be forgotten")
                    .atMost(Workplace.PATIENCE)
                    .pollInterval(LOOK)
                    .until(() -> queue.history().succeeded().size() > before + 200);
            doomed.kill();
            redis.restartFrom(checkpoint);
            try (Worker heir = new Worker(queue.worker())) {
                queue.awaitAllSucceeded();
                heir.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }
}
