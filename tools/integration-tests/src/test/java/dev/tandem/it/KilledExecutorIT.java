package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Executors that are killed: nothing is lost, and order and exclusion hold. */
@Execution(ExecutionMode.CONCURRENT)
class KilledExecutorIT {

    private static final int KEYS = 200;
    private static final int PER_KEY = 50;

    @Test
    void orderAndExclusionPerKeyHoldWithFailuresAndAKilledExecutor() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (KafkaTestQueue topic = new KafkaTestQueue("killed", 8);
                WorkerProcess victim = topic.startProcess();
                WorkerProcess survivor = topic.startProcess()) {
            // Both own partitions before the first task is published.
            topic.awaitWorkers(2);
            for (int number = 0; number < PER_KEY; number++) {
                for (int key = 0; key < KEYS; key++) {
                    topic.send("k" + key, number, random.nextInt(50) == 0 ? "fail-once" : "work");
                }
            }
            await("both to run tasks")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().succeeded().size() > KEYS * PER_KEY / 4
                            && !topic.runsOf(victim).isEmpty());
            victim.kill();

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            RunHistory history = topic.history();
            history.assertOrderAndExclusion("seed " + seed);
            assertThat(topic.runsOf(victim)).as("runs of the killed process").isNotEmpty();
            // Only tasks that the killed executor had finished but not recorded run again. With relays these can be
            // more
            // than it ran at one time.
            assertThat(topic.runsOf(victim).stream()
                            .filter(RunHistory.Run::succeeded)
                            .map(RunHistory.Run::id))
                    .containsAll(history.duplicates());
            assertThat(survivor.isRunning()).isTrue();
        }
    }

    @Test
    void taskOfAKilledExecutorRunsAgainElsewhereWhileItsKeyWaits() {
        try (KafkaTestQueue topic = new KafkaTestQueue("held", 1);
                WorkerProcess victim = topic.startProcess()) {
            topic.send("a", 0, "hold");
            topic.send("a", 1, "ok");
            topic.send("b", 0, "ok");
            topic.awaitStarted("a-0");
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().succeeded().contains("b-0"));
            topic.awaitRecorded(0, 2);
            victim.kill();

            try (TestWorker successor = new TestWorker(topic.worker())) {
                await().atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> topic.history().runsOf("a-0").size() == 2);
                assertThat(topic.history().runsOf("a-1")).isEmpty();
                assertThat(topic.history().runsOf("a-0").get(1).attempt()).isEqualTo(2);
                successor.release();
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
                topic.history().assertOrderAndExclusion();
                assertThat(topic.history().runsOf("b-0"))
                        .as("a recorded task does not run again")
                        .hasSize(1);
            }
        }
    }

    @Test
    void poisonTaskThatKillsItsExecutorsBecomesDeadAndOthersSucceed() {
        int attempts = 3;
        int deaths = 0;
        try (KafkaTestQueue topic = new KafkaTestQueue("poison", 1)) {
            topic.send("bad", ScriptedHandler.payload("bad-0", "poison"));
            WorkerProcess current = topic.startProcess(
                            topic.worker().retrying(1_000, attempts).leasedFor(4_000))
                    .expectedToDie();
            while (DeadTasks.of(topic.name(), 1).isEmpty()) {
                WorkerProcess watched = current;
                await("death of the task or of its executor")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> !watched.isRunning()
                                || !DeadTasks.of(topic.name(), 1).isEmpty());
                if (!watched.isRunning()) {
                    watched.markDead();
                    watched.close();
                    deaths++;
                    if (deaths == 1) {
                        send(topic, 0, 5);
                    } else if (deaths == 2) {
                        // More tasks, which keep the executor busy until the poison task's third start and beyond.
                        send(topic, 5, 2_000);
                    }
                    current = topic.startProcess(
                                    topic.worker().retrying(1_000, attempts).leasedFor(4_000))
                            .expectedToDie();
                }
            }
            try (WorkerProcess last = current) {
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();
                assertThat(deaths).isEqualTo(attempts);
                assertThat(DeadTasks.of(topic.name(), 1)).singleElement().satisfies(dead -> {
                    assertThat(dead.task().key()).isEqualTo("bad");
                    assertThat(dead.error()).contains("all 3 attempts are used up");
                });
                topic.history().assertOrderAndExclusion();
                assertThat(last.isRunning()).isTrue();
                assertRanAlone(topic.history());
            }
        }
    }

    private static void send(KafkaTestQueue topic, int from, int to) {
        for (int number = from; number < to; number++) {
            for (int key = 0; key < 4; key++) {
                topic.send("good" + key, number, "work");
            }
        }
    }

    /** Asserts that the poison task ran alone at its last start, although other tasks were waiting. */
    private static void assertRanAlone(RunHistory history) {
        List<RunHistory.Run> starts = history.runsOf("bad-0");
        long last = starts.get(starts.size() - 1).start();
        assertThat(history.runs()).anyMatch(run -> run.key().startsWith("good") && run.end() < last);
        assertThat(history.runs()).anyMatch(run -> run.key().startsWith("good") && run.start() > last);
        assertThat(history.runs())
                .filteredOn(run -> run.key().startsWith("good"))
                .noneMatch(run -> run.start() <= last && last < run.end());
    }
}
