package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.testkit.BrokerProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import org.awaitility.Awaitility;

/** Steps that the tests of redelivery share for ordered and unordered RabbitMQ queues. */
final class RedeliverySteps {

    /** The attempts that a poison message has. Each kills an executor. */
    static final int ATTEMPTS = 3;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    private RedeliverySteps() {}

    static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(TestQueue.PATIENCE)
                .pollInterval(POLL_INTERVAL)
                .until(condition);
    }

    /** Publishes tasks without ids, kills their executor, and waits until each task is recorded as succeeded. */
    static void runTasksWithoutIdsWhileTheirExecutorIsKilled(RabbitTestQueue queue, int tasks, Runnable publish)
            throws Exception {
        try (WorkerProcess victim = queue.startProcess(queue.worker().leasedFor(4_000))) {
            queue.awaitDeclared();
            publish.run();
            queue.flush();
            await("some tasks to succeed", () -> queue.recorded() > 400);
            victim.kill();
            try (TestWorker successor = new TestWorker(queue.worker())) {
                await("all tasks", () -> queue.recorded() >= tasks && queue.messages() == 0);
                successor.awaitNothingUnsettled();
            }
            queue.awaitNothingLeft();
        }
    }

    /** Cuts the connection of a worker, and waits until it has lost its messages and got them again. */
    static void cutAndRestore(BrokerProxy wire, TestWorker worker, IntPredicate redelivered) {
        wire.down();
        await("the loss of the connection", () -> worker.unsettled() == 0);
        wire.up();
        await("the redeliveries", () -> redelivered.test(worker.unsettled()));
    }

    /**
     * Publishes a task that kills its executors, and starts executors until the task is dead and all others have
     * succeeded.
     *
     * @param before publishes tasks before it
     * @param afterFirstDeath publishes tasks after it has killed an executor
     * @return how many executors it killed
     */
    static int runUntilPoisonIsDead(RabbitTestQueue queue, Runnable before, Runnable afterFirstDeath) throws Exception {
        int deaths = 0;
        WorkerProcess current = startMortal(queue);
        queue.awaitDeclared();
        before.run();
        queue.sendWithoutId("bad", "poison");
        queue.flush();
        while (deadTasks(queue).isEmpty()) {
            WorkerProcess watched = current;
            Awaitility.await("death of the task or of its executor")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> !watched.isRunning() || !deadTasks(queue).isEmpty());
            if (!watched.isRunning()) {
                watched.markDead();
                watched.close();
                deaths++;
                if (deaths == 1) {
                    afterFirstDeath.run();
                }
                current = startMortal(queue);
            }
        }
        try (WorkerProcess last = current) {
            queue.awaitAllSucceeded();
            assertThat(deadTasks(queue)).singleElement().satisfies(dead -> {
                assertThat(dead.task().key()).isEqualTo("bad");
                assertThat(dead.error()).contains("all 3 attempts are used up");
            });
            assertThat(last.isRunning()).isTrue();
        }
        return deaths;
    }

    private static WorkerProcess startMortal(RabbitTestQueue queue) {
        return queue.startProcess(queue.worker().retrying(1_000, ATTEMPTS).leasedFor(4_000));
    }

    private static List<Envelope> deadTasks(RabbitTestQueue queue) {
        return DeadTasks.of(queue.name(), TestWorker.RABBIT_PARTITIONS);
    }
}
