package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.RedisCheckpoint;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The final task comes although Redis forgets a fan-out, whose subtasks the broker does not deliver again. */
@Execution(ExecutionMode.CONCURRENT)
class ForgottenFanOutIT {

    private static final int SUBTASKS = 40;

    private final String queue = UniqueNames.fresh("forgotten");
    private final List<FanOutResult> results = new CopyOnWriteArrayList<>();
    private final CountDownLatch all = new CountDownLatch(1);
    private final CountDownLatch last = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    private Tandem start(LocalRedis redis, String source, String setting, String broker) {
        return Tandem.builder()
                .redis(redis.address())
                .setting(setting, broker)
                // Redis forgets more than it may, if this machine is slow.
                .setting("tandem.redis.horizon", "20s")
                .setting("tandem.executor.concurrency", Integer.toString(2 * SUBTASKS))
                .queue(queue)
                .setting("source", source)
                .setting("partitions", "4")
                .handler("import", Integer.class, this::fanOut)
                .handler("row", Integer.class, this::row)
                .handler(
                        "done",
                        Integer.class,
                        (none, task) -> results.add(task.fanOutResult().orElseThrow()))
                .start();
    }

    private void fanOut(int count, TaskContext task) throws InterruptedException {
        task.fanOut(
                IntStream.range(0, count).mapToObj(number -> TaskRequest.of(queue, "row", number)),
                FanOut.then(TaskRequest.of(queue, "done", 0)));
        ended.incrementAndGet();
    }

    private void row(int number, TaskContext task) throws InterruptedException {
        begun.incrementAndGet();
        CountDownLatch its = number == SUBTASKS - 1 ? last : all;
        its.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        ended.incrementAndGet();
    }

    /** Lets Redis forget all of the fan-out but its last end, and then that one comes. */
    private void forget(LocalRedis redis, Tandem tandem, Runnable awaitCommits) throws InterruptedException {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        RedisCheckpoint checkpoint = redis.checkpoint();
        tandem.client().submit(TaskRequest.of(queue, "import", SUBTASKS)).await(PATIENCE);
        await().atMost(PATIENCE).until(() -> begun.get() == SUBTASKS);
        all.countDown();
        await().atMost(PATIENCE).until(() -> ended.get() == SUBTASKS);
        awaitCommits.run();
        redis.restartFrom(checkpoint);
        last.countDown();

        await().atMost(PATIENCE).until(() -> !results.isEmpty());
        FanOutResult result = results.get(0);
        assertThat(result.state()).isEqualTo(FanOutResult.State.COMPLETED);
        assertThat(result.subtasks()).isEqualTo(SUBTASKS);
        assertThat(result.succeeded()).isEqualTo(SUBTASKS);
        assertThat(begun).as("no subtask ran again").hasValue(SUBTASKS);
    }

    @Test
    void onKafka() throws InterruptedException {
        try (LocalRedis redis = Brokers.ownRedis();
                Tandem tandem = start(
                        redis,
                        "kafka",
                        "tandem.kafka.bootstrap-servers",
                        Brokers.kafka().bootstrapServers())) {
            forget(
                    redis,
                    tandem,
                    () -> await("commits of the master and of all subtasks but one")
                            .atMost(PATIENCE)
                            .until(() -> committed() == SUBTASKS));
        }
    }

    private long committed() throws Exception {
        return Brokers.kafka()
                .admin()
                .listConsumerGroupOffsets("tandem." + queue)
                .partitionsToOffsetAndMetadata()
                .get()
                .values()
                .stream()
                .mapToLong(OffsetAndMetadata::offset)
                .sum();
    }

    @Test
    void onRabbit() throws InterruptedException {
        try (LocalRedis redis = Brokers.ownRedis();
                Tandem tandem = start(
                        redis, "rabbit", "tandem.rabbit.uri", Brokers.rabbit().uri())) {
            forget(redis, tandem, () -> {});
        }
    }
}
