package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A queue on Kafka and one on RabbitMQ share the slots of a process. */
@Execution(ExecutionMode.CONCURRENT)
class SharedSlotsIT {

    private final String low = UniqueNames.fresh("low");
    private final String high = UniqueNames.fresh("high");
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private volatile int millis;
    private final CountDownLatch open = new CountDownLatch(1);

    private void run(Ship ship, TaskContext task) throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            begun.add(task.queue());
            open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            Thread.sleep(millis);
        } finally {
            running.decrementAndGet();
        }
    }

    private void submit(Tandem tandem, String queue, int count) throws InterruptedException {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(TaskRequest.of(queue, "run", new Ship("o", 0)).withKey("k"))
                        .await(Duration.ofSeconds(10))
                        .queue()
                        .equals(queue));
        List<TaskRef<?>> accepted = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            accepted.add(tandem.client()
                    .submit(TaskRequest.of(queue, "run", new Ship("o", i)).withKey("k" + i)));
        }
        for (TaskRef<?> each : accepted) {
            each.await(PATIENCE);
        }
    }

    /** Starts a program of the two queues, with many tasks of each, of which some of the first queue have begun. */
    private Tandem start(int slots, String setting, String ofLow, String ofHigh, int tasksOfHigh) throws Exception {
        Tandem tandem = Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .setting("tandem.rabbit.uri", Brokers.rabbit().uri())
                .redis(Brokers.redis().uri())
                .setting("tandem.executor.concurrency", Integer.toString(slots))
                .queue(low)
                .setting("source", "kafka")
                .setting("partitions", "2")
                .setting(setting, ofLow)
                .handler("run", Ship.class, this::run)
                .queue(high)
                .setting("source", "rabbit")
                .setting("ordering", "key")
                .setting("partitions", "2")
                .setting(setting, ofHigh)
                .handler("run", Ship.class, this::run)
                .start();
        submit(tandem, low, 40);
        await().atMost(PATIENCE).until(() -> running.get() == slots);
        submit(tandem, high, tasksOfHigh);
        // The loop of the other queue knows of its tasks once they are delivered.
        await("of the high queue, all are delivered")
                .during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> begun.size() == slots);
        return tandem;
    }

    @Test
    void queueWithPrecedenceGetsEverySlotThatEndsAndNeverMoreRunThanThereAre() throws Exception {
        try (Tandem tandem = start(3, "precedence", "0", "1", 20)) {
            assertThat(tandem.status().problems()).isEmpty();
            open.countDown();

            await().atMost(PATIENCE).until(() -> begun.size() == 60);
            List<String> order = List.copyOf(begun);
            assertThat(order.subList(0, 3)).as("what ran before").containsOnly(low);
            assertThat(order.lastIndexOf(high))
                    .as("the first of 57 that start when slots end are the 20 with precedence, but for a few")
                    .isLessThan(3 + 20 + 10);
            assertThat(most).hasValueLessThanOrEqualTo(3);
        }
    }

    @Test
    void queuesGetSlotsByTheirWeights() throws Exception {
        millis = 20;
        try (Tandem tandem = start(4, "weight", "1", "3", 60)) {
            assertThat(tandem.status().problems()).isEmpty();
            open.countDown();

            await().atMost(PATIENCE).until(() -> begun.size() == 100);
            List<String> order = List.copyOf(begun).subList(4 + 10, 4 + 50);
            assertThat(order.stream().filter(high::equals).count())
                    .as("of 40 starts while both queues have tasks, three quarters: %s", order)
                    .isBetween(22L, 36L);
            assertThat(most).hasValueLessThanOrEqualTo(4);
        }
    }
}
