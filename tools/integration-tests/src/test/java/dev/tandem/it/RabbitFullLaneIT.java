package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A key with more tasks than Redis may park, in a sub-queue whose prefetch was lowered. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitFullLaneIT {

    private static final int PREFETCH = 5;
    private static final int MAX_PARKED = 2;
    private static final int OF_FULL_KEY = 12;
    private static final int OTHERS = 100;
    private static final Duration RETRY = Duration.ofSeconds(60);

    @Test
    void itsTasksHoldUpNoOtherKeyAndKeepTheirOrder() throws Exception {
        try (RabbitTestQueue queue = new RabbitTestQueue("full", true)) {
            try (Worker declares = new Worker(queue)) {
                queue.awaitDeclared();
            }
            queue.send("full", 0, "fail-once");
            for (int number = 1; number < OF_FULL_KEY; number++) {
                queue.send("full", number, "ok");
            }
            sendOthers(queue, 0);
            queue.flush();
            try (Worker worker = new Worker(queue)) {
                awaitOthers(queue, OTHERS);
                // They come when the sub-queue waits for an end of what the first prefetch brought.
                sendOthers(queue, 1);
                queue.flush();
                awaitOthers(queue, 2 * OTHERS);
                assertThat(queue.history().runsOf("full-0"))
                        .as("runs while its key was full")
                        .hasSize(1);
                queue.awaitAllSucceeded();
                queue.history().assertOrderAndExclusion();
                assertThat(queue.history().duplicates()).isEmpty();
                // What Redis took over last is acked a horizon later.
                await("nothing unsettled")
                        .atMost(TestQueue.PATIENCE)
                        .pollInterval(TestQueue.POLL_INTERVAL)
                        .until(() -> TestWorker.unsettled(worker.executor, queue.name()) == 0);
            }
            assertThat(queue.messages()).isZero();
        }
    }

    private static void sendOthers(RabbitTestQueue queue, int number) {
        for (int key = 0; key < OTHERS; key++) {
            queue.send("x" + key, number, "ok");
        }
    }

    private static void awaitOthers(RabbitTestQueue queue, int count) {
        await(count + " tasks of other keys")
                .atMost(RETRY)
                .pollInterval(TestQueue.POLL_INTERVAL)
                .until(() -> queue.history().succeeded().stream()
                                .filter(id -> id.startsWith("x"))
                                .count()
                        == count);
    }

    private static final class Worker implements AutoCloseable {

        private final RedisStore store =
                RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        private final RunJournal journal;
        private final Executor executor;

        Worker(RabbitTestQueue queue) {
            journal = new RunJournal(queue.newJournal());
            ScriptedHandler handler = new ScriptedHandler(journal);
            QueuePolicy ordered = QueuePolicy.ordered(8);
            RabbitSettings settings = RabbitSettings.of(Brokers.rabbit().uri(), queue.name())
                    .withPartitions(TestWorker.RABBIT_PARTITIONS)
                    .withPrefetch(PREFETCH)
                    .orderedByHeader();
            executor = Executor.builder()
                    .queue(QueueSpec.queue(queue.name())
                            .source(new RabbitSource(settings))
                            .store(store)
                            .policy(ordered.withParked(MAX_PARKED, ordered.maxParkedPerPartition()))
                            .retry(RetryPolicy.fixed(RETRY))
                            .defaultType("it")
                            .handler("it", handler::handle)
                            .build())
                    .build();
            executor.start();
        }

        @Override
        public void close() {
            executor.stop();
            store.close();
            journal.close();
        }
    }
}
