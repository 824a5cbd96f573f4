package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.testkit.Brokers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Malformed messages become dead with a reason and a remedy, and block no others. */
class BadInputIT {

    enum Broker {
        KAFKA {
            @Override
            TestQueue queue(String prefix) {
                return new KafkaTestQueue(prefix, 1);
            }
        },
        RABBIT {
            @Override
            TestQueue queue(String prefix) {
                return new RabbitTestQueue(prefix, true);
            }
        };

        abstract TestQueue queue(String prefix);
    }

    private static void sendOk(TestQueue queue, String key, int number) {
        String id = key + "-" + number;
        queue.expect(id);
        queue.publish(key, ScriptedHandler.payload(id, "ok"), Map.of());
    }

    private static List<Envelope> dead(TestQueue queue) {
        return DeadTasks.of(queue.name(), queue.partitions());
    }

    /** Returns the key of the odd tasks, which is blocked. */
    private static KeyView blocked(RedisStore store, TestQueue queue) {
        return store.inspector().keys().find(queue.name(), "odd").join().get(0);
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void unreadableHeaderMakesItsTaskDeadInItsPlaceAndHaltsOnlyItsKey(Broker broker) {
        try (TestQueue queue = broker.queue("malformed");
                TestWorker worker = new TestWorker(queue.worker())) {
            queue.awaitReady();
            sendOk(queue, "odd", 0);
            queue.publish("odd", ScriptedHandler.payload("odd-1", "ok"), Map.of("tandem-delay", "a while"));
            queue.publish("odd", ScriptedHandler.payload("odd-2", "ok"), Map.of());
            sendOk(queue, "k", 0);

            queue.awaitAllSucceeded();
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            assertThat(dead(queue)).singleElement().satisfies(dead -> {
                assertThat(dead.error())
                        .contains("tandem-delay", "a while")
                        .contains("use milliseconds or a duration such as 30s");
                assertThat(dead.task().payload()).isEqualTo(ScriptedHandler.payload("odd-1", "ok"));
                assertThat(dead.task().headers()).containsEntry("tandem-delay", "a while");
            });
            assertThat(queue.history().runsOf("odd-0")).hasSize(1);
            assertThat(queue.history().runsOf("odd-1")).isEmpty();
            assertThat(queue.history().runsOf("odd-2"))
                    .as("behind a dead head, by the default policy")
                    .isEmpty();
            assertThat(worker.status().healthy()).isTrue();

            try (RedisStore store =
                    RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
                assertThat(store.admin()
                                .retryKey(blocked(store, queue).partition(), "odd")
                                .join())
                        .isEqualTo(Admin.Result.DONE);
            }
            await().atMost(TestQueue.PATIENCE)
                    .untilAsserted(() -> assertThat(queue.history().succeeded())
                            .as("an operator has it run with what could be read")
                            .contains("odd-1", "odd-2"));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void unreadableTaskWaitsForItsTurnInRedis(Broker broker) {
        try (TestQueue queue = broker.queue("malformed-parked");
                TestWorker worker = new TestWorker(queue.worker().retrying(10, 3))) {
            queue.awaitReady();
            queue.publish("odd", ScriptedHandler.payload("odd-0", "fail"), Map.of());
            queue.publish("odd", ScriptedHandler.payload("odd-1", "ok"), Map.of("tandem-delay", "a while"));
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            await().atMost(TestQueue.PATIENCE).until(() -> dead(queue).size() == 1);

            try (RedisStore store =
                    RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
                Partition partition = blocked(store, queue).partition();
                assertThat(store.admin().skipKey(partition, "odd").join()).isEqualTo(Admin.Result.DONE);
                await().atMost(TestQueue.PATIENCE).until(() -> dead(queue).size() == 2);
                KeyView key =
                        store.inspector().keys().find(partition, "odd").join().orElseThrow();
                assertThat(key.reason()).isEqualTo(BlockReason.HALTED);
                assertThat(key.headTask().envelope().error()).contains("a while");
            }
            assertThat(queue.history().runsOf("odd-1")).isEmpty();
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void payloadOverTheLimitIsDeadAndTheQueueContinues(Broker broker) {
        try (TestQueue queue = broker.queue("large");
                TestWorker worker = new TestWorker(queue.worker())) {
            queue.awaitReady();
            sendOk(queue, "k", 0);
            queue.publish("big", ScriptedHandler.payload("big-0", "x".repeat(TestWorker.MAX_PAYLOAD)), Map.of());
            sendOk(queue, "k", 1);

            queue.awaitAllSucceeded();
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            assertThat(dead(queue)).singleElement().satisfies(dead -> {
                assertThat(dead.error()).contains("max-payload").contains(Integer.toString(TestWorker.MAX_PAYLOAD));
                assertThat(dead.task().payload()).hasSize(TestWorker.MAX_PAYLOAD + "big-0 ".length());
            });
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void unknownTypeIsDeadAfterTheGraceAndHaltsOnlyItsKey(Broker broker) {
        try (TestQueue queue = broker.queue("unknown");
                TestWorker worker = new TestWorker(queue.worker())) {
            queue.awaitReady();
            queue.publish("odd", ScriptedHandler.payload("odd-0", "ok"), Map.of("tandem-type", "refund"));
            queue.publish("odd", ScriptedHandler.payload("odd-1", "ok"), Map.of());
            sendOk(queue, "k", 0);

            queue.awaitAllSucceeded();
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            await().atMost(TestQueue.PATIENCE).until(() -> dead(queue).size() == 1);
            assertThat(dead(queue))
                    .singleElement()
                    .satisfies(dead -> assertThat(dead.error())
                            .contains("'refund'")
                            .contains("Known types: it", "unknown-type-grace"));
            assertThat(queue.history().runsOf("odd-1"))
                    .as("behind a dead head, by the default policy")
                    .isEmpty();
            assertThat(worker.status().healthy()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void taskThatAlwaysFailsIsDeadAfterItsLastAttempt(Broker broker) {
        try (TestQueue queue = broker.queue("failing");
                TestWorker worker = new TestWorker(queue.worker().retrying(10, 3))) {
            queue.awaitReady();
            queue.publish("bad", ScriptedHandler.payload("bad-0", "fail"), Map.of());
            sendOk(queue, "k", 0);

            queue.awaitAllSucceeded();
            await().atMost(TestQueue.PATIENCE).until(() -> dead(queue).size() == 1);
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            assertThat(queue.history().runsOf("bad-0"))
                    .extracting(RunHistory.Run::attempt)
                    .containsExactly(1, 2, 3);
            assertThat(dead(queue).get(0).error()).contains("attempt 3 of 3");
            assertThat(worker.status().dead()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void plainRecordWithoutHeadersKeyOrPayloadIsATask(Broker broker) {
        try (TestQueue queue = broker.queue("plain");
                TestWorker worker = new TestWorker(queue.worker())) {
            queue.awaitReady();
            queue.publish(null, null, Map.of());
            queue.publish(null, ScriptedHandler.payload("none-0", "ok"), Map.of());
            sendOk(queue, "k", 0);

            queue.awaitAllSucceeded();
            await().atMost(TestQueue.PATIENCE)
                    .until(() -> queue.history().succeeded().containsAll(List.of("none-0", "k-0")));
            // This handler fails on an empty payload.
            await().atMost(TestQueue.PATIENCE).until(() -> dead(queue).size() == 1);
            queue.awaitAllSettled();
            worker.awaitNothingUnsettled();
            assertThat(worker.status().healthy()).isTrue();
        }
    }
}
