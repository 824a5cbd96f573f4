package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.testkit.Brokers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Malformed messages become dead with a reason, and block no others. */
class BadInputIT {

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void unreadableHeaderMakesItsTaskDeadInItsPlaceAndHaltsOnlyItsKey() {
        try (KafkaTestQueue topic = new KafkaTestQueue("malformed", 1);
                TestWorker worker = new TestWorker(topic.worker())) {
            topic.send("odd", 0, "ok");
            topic.send("odd", ScriptedHandler.payload("odd-1", "ok"), KafkaTestQueue.header("tandem-delay", "a while"));
            topic.send("odd", ScriptedHandler.payload("odd-2", "ok"));
            topic.send("k", 0, "ok");

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            assertThat(DeadTasks.of(topic.name(), 1)).singleElement().satisfies(dead -> {
                assertThat(dead.error()).contains("tandem-delay").contains("a while");
                assertThat(dead.task().payload()).isEqualTo(ScriptedHandler.payload("odd-1", "ok"));
                assertThat(dead.task().headers()).containsEntry("tandem-delay", "a while");
            });
            assertThat(topic.history().runsOf("odd-0")).hasSize(1);
            assertThat(topic.history().runsOf("odd-1")).isEmpty();
            assertThat(topic.history().runsOf("odd-2"))
                    .as("behind a dead head, by the default policy")
                    .isEmpty();
            assertThat(worker.status().healthy()).isTrue();

            try (RedisStore store =
                    RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
                assertThat(store.admin()
                                .retryKey(Partition.of(topic.name(), 0), "odd")
                                .join())
                        .isEqualTo(Admin.Result.DONE);
            }
            await().atMost(KafkaTestQueue.PATIENCE)
                    .untilAsserted(() -> assertThat(topic.history().succeeded())
                            .as("an operator has it run with what could be read")
                            .contains("odd-1", "odd-2"));
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void unreadableTaskWaitsForItsTurnInRedis() {
        try (KafkaTestQueue topic = new KafkaTestQueue("malformed-parked", 1);
                TestWorker worker = new TestWorker(topic.worker().retrying(10, 3))) {
            topic.send("odd", ScriptedHandler.payload("odd-0", "fail"));
            topic.send("odd", ScriptedHandler.payload("odd-1", "ok"), KafkaTestQueue.header("tandem-delay", "a while"));
            topic.awaitAllCommitted();
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> DeadTasks.of(topic.name(), 1).size() == 1);

            try (RedisStore store =
                    RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
                Partition partition = Partition.of(topic.name(), 0);
                assertThat(store.admin().skipKey(partition, "odd").join()).isEqualTo(Admin.Result.DONE);
                await().atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> DeadTasks.of(topic.name(), 1).size() == 2);
                KeyView key = store.inspector().key(partition, "odd").join().orElseThrow();
                assertThat(key.reason()).isEqualTo(BlockReason.HALTED);
                assertThat(key.headTask().envelope().error()).contains("a while");
            }
            assertThat(topic.history().runsOf("odd-1")).isEmpty();
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void payloadOverTheLimitIsDeadAndTheQueueContinues() {
        try (KafkaTestQueue topic = new KafkaTestQueue("large", 1);
                TestWorker worker = new TestWorker(topic.worker())) {
            topic.send("k", 0, "ok");
            topic.send("big", ScriptedHandler.payload("big-0", "x".repeat(TestWorker.MAX_PAYLOAD)));
            topic.send("k", 1, "ok");

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            assertThat(DeadTasks.of(topic.name(), 1)).singleElement().satisfies(dead -> {
                assertThat(dead.error()).contains("max-payload").contains(Integer.toString(TestWorker.MAX_PAYLOAD));
                assertThat(dead.task().payload()).hasSize(TestWorker.MAX_PAYLOAD + "big-0 ".length());
            });
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void unknownTypeIsDeadAfterTheGraceAndHaltsOnlyItsKey() {
        try (KafkaTestQueue topic = new KafkaTestQueue("unknown", 1);
                TestWorker worker = new TestWorker(topic.worker())) {
            topic.send("odd", ScriptedHandler.payload("odd-0", "ok"), KafkaTestQueue.header("tandem-type", "refund"));
            topic.send("odd", ScriptedHandler.payload("odd-1", "ok"));
            topic.send("k", 0, "ok");

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> DeadTasks.of(topic.name(), 1).size() == 1);
            assertThat(DeadTasks.of(topic.name(), 1))
                    .singleElement()
                    .satisfies(dead -> assertThat(dead.error())
                            .contains("'refund'")
                            .contains("Known types: it", "unknown-type-grace"));
            assertThat(topic.history().runsOf("odd-1"))
                    .as("behind a dead head, by the default policy")
                    .isEmpty();
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void taskThatAlwaysFailsIsDeadAfterItsLastAttempt() {
        try (KafkaTestQueue topic = new KafkaTestQueue("failing", 1);
                TestWorker worker = new TestWorker(topic.worker().retrying(10, 3))) {
            topic.send("bad", ScriptedHandler.payload("bad-0", "fail"));
            topic.send("k", 0, "ok");

            topic.awaitAllSucceeded();
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> DeadTasks.of(topic.name(), 1).size() == 1);
            topic.awaitAllCommitted();
            assertThat(topic.history().runsOf("bad-0"))
                    .extracting(RunHistory.Run::attempt)
                    .containsExactly(1, 2, 3);
            assertThat(DeadTasks.of(topic.name(), 1).get(0).error()).contains("attempt 3 of 3");
            assertThat(worker.status().dead()).isEqualTo(1);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void plainRecordWithoutHeadersKeyOrPayloadIsATask() {
        try (KafkaTestQueue topic = new KafkaTestQueue("plain", 1);
                TestWorker worker = new TestWorker(topic.worker())) {
            topic.send((String) null, null);
            topic.send((String) null, ScriptedHandler.payload("none-0", "ok"));
            topic.send("k", 0, "ok");

            topic.awaitAllSucceeded();
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().succeeded().containsAll(List.of("none-0", "k-0")));
            // This handler fails on an empty payload.
            await().atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> DeadTasks.of(topic.name(), 1).size() == 1);
            topic.awaitAllCommitted();
            assertThat(worker.status().healthy()).isTrue();
        }
    }
}
