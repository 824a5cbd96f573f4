package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import java.util.List;
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
