package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An executor that has lost Redis but still reaches Kafka. */
@Execution(ExecutionMode.CONCURRENT)
class StoreCutOffIT {

    private static final int LEASE_MILLIS = 4_000;

    private static final int KEYS = 20;

    @Test
    void othersGoOnWithItsKeysAndItComesBackByItself() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("store-cut-off", 4);
                BrokerProxy redis = new BrokerProxy(Brokers.redis().uri());
                TestWorker cutOff = new TestWorker(
                        topic.worker().viaRedis("redis://" + redis.address()).leasedFor(LEASE_MILLIS));
                TestWorker other = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS))) {
            topic.awaitWorkers(2);
            sendToAllKeys(topic, 0);
            topic.awaitAllSucceeded();
            redis.freeze();
            sendToAllKeys(topic, 1);
            topic.flush();
            await("the keys of the executor that is cut off")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> {
                        return topic.history().succeeded().containsAll(expectedOf(1));
                    });
            assertThat(cutOff.status().partitions()).isZero();
            assertThat(cutOff.status().problem()).contains("outside the consumer group");
            assertThat(other.status().partitions()).isEqualTo(4);

            redis.thaw();
            topic.awaitWorkers(2);
            sendToAllKeys(topic, 2);
            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            assertThat(cutOff.status().problem()).isNull();
            assertThat(cutOff.status().partitions()).isEqualTo(2);
            topic.history().assertOrderAndExclusion();
        }
    }

    @Test
    void executorThatNeverReachedItLeavesTheKeysToOthersAndJoinsOnceItDoes() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("never-reached", 4);
                BrokerProxy redis = new BrokerProxy(Brokers.redis().uri());
                TestWorker well = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS))) {
            topic.awaitWorkers(1);
            redis.freeze();
            try (TestWorker late = new TestWorker(
                    topic.worker().viaRedis("redis://" + redis.address()).leasedFor(LEASE_MILLIS))) {
                assertLeavesTheKeysToOthers(topic, late, well);
                redis.thaw();
                assertJoins(topic, late);
            }
        }
    }

    @Test
    void executorWhoseStoreRefusesWritesLeavesTheKeysToOthersAndJoinsOnceItIsFit() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("unfit", 4);
                LocalRedis unfit = Brokers.ownRedis();
                TestWorker well = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS))) {
            setMinReplicas(unfit, "1");
            topic.awaitWorkers(1);
            try (TestWorker late =
                    new TestWorker(topic.worker().viaRedis(unfit.address()).leasedFor(LEASE_MILLIS))) {
                assertLeavesTheKeysToOthers(topic, late, well);
                setMinReplicas(unfit, "0");
                assertJoins(topic, late);
                setMinReplicas(unfit, "1");
                await("it leaves again")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> well.status().partitions() == 4);
                assertThat(late.status().problem()).contains("outside the consumer group");
            }
        }
    }

    private static void assertLeavesTheKeysToOthers(KafkaTestQueue topic, TestWorker late, TestWorker well)
            throws InterruptedException {
        await("it waits for its store")
                .atMost(KafkaTestQueue.PATIENCE)
                .until(() -> late.status().problem() != null);
        sendToAllKeys(topic, 0);
        topic.awaitAllSucceeded();
        // Longer than a lease, after which a process that never joined looks for another node of a cluster.
        TimeUnit.MILLISECONDS.sleep(LEASE_MILLIS * 3 / 2);
        assertThat(late.status().partitions()).isZero();
        assertThat(late.status().problem()).contains("outside the consumer group");
        assertThat(well.status().partitions()).isEqualTo(4);
    }

    private static void assertJoins(KafkaTestQueue topic, TestWorker late) {
        topic.awaitWorkers(2);
        // The broker knows of the assignment before the queue's loop does.
        await("it has no problem")
                .atMost(KafkaTestQueue.PATIENCE)
                .until(() -> late.status().problem() == null);
        sendToAllKeys(topic, 1);
        topic.awaitAllSucceeded();
        topic.history().assertOrderAndExclusion();
    }

    private static void setMinReplicas(LocalRedis redis, String count) {
        RedisClient client = RedisClient.create(redis.address());
        try {
            client.connect().sync().configSet("min-replicas-to-write", count);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static void sendToAllKeys(KafkaTestQueue topic, int number) {
        for (int key = 0; key < KEYS; key++) {
            topic.send("k" + key, number, "ok");
        }
    }

    private static List<String> expectedOf(int number) {
        return IntStream.range(0, KEYS)
                .mapToObj(key -> "k" + key + "-" + number)
                .toList();
    }
}
