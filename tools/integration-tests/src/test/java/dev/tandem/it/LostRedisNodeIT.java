package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A Redis Cluster of which one primary is lost with its replica, while the others go on. */
@Execution(ExecutionMode.CONCURRENT)
class LostRedisNodeIT {

    private static final int LEASE_MILLIS = 3_000;
    private static final int PARTITIONS = 12;
    private static final int KEYS = 60;

    private LocalRedisCluster cluster;
    private KafkaTestQueue topic;
    private final List<LocalRedis> lost = new ArrayList<>();
    /** The partitions of the lost primary. The first one is among them. */
    private final Set<Integer> lostPartitions = new HashSet<>();

    @BeforeEach
    void start() {
        cluster = Brokers.ownRedisCluster();
        cluster.nodes().forEach(node -> ask(node, redis -> redis.configSet("cluster-require-full-coverage", "no")));
        topic = new KafkaTestQueue("lost-node", PARTITIONS, cluster.address());
        LocalRedis primary = cluster.primaryOf(slot(0));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            if (cluster.primaryOf(slot(partition)) == primary) {
                lostPartitions.add(partition);
            }
        }
        lost.add(primary);
        lost.add(cluster.nodes()
                .get(cluster.nodes().indexOf(primary) + cluster.nodes().size() / 2));
    }

    @AfterEach
    void stop() {
        topic.close();
        cluster.close();
    }

    @Test
    void executorsStayAndTheOtherPartitionsGoOn() {
        try (TestWorker one = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS));
                TestWorker two = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS))) {
            topic.awaitWorkers(2);
            sendToAllKeys(0);
            topic.awaitAllSucceeded();
            int heldByOne = one.status().partitions();

            lost.forEach(LocalRedis::kill);
            long since = System.nanoTime();
            int number = 1;
            while (System.nanoTime() - since < 3L * LEASE_MILLIS * 1_000_000) {
                sendToAllKeys(number);
                awaitOthersSucceeded(number);
                number++;
            }
            assertThat(one.status().partitions()).isEqualTo(heldByOne);
            assertThat(two.status().partitions()).isEqualTo(PARTITIONS - heldByOne);

            lost.forEach(LocalRedis::start);
            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            topic.history().assertOrderAndExclusion();
        }
    }

    @Test
    void anExecutorThatStartsTakesPartitions() {
        lost.forEach(LocalRedis::kill);
        try (TestWorker one = new TestWorker(topic.worker().leasedFor(LEASE_MILLIS))) {
            sendToAllKeys(0);
            awaitOthersSucceeded(0);
            assertThat(one.status().partitions()).isEqualTo(PARTITIONS);

            lost.forEach(LocalRedis::start);
            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
        }
    }

    private void sendToAllKeys(int number) {
        for (int key = 0; key < KEYS; key++) {
            topic.send("k" + key, number, "ok");
        }
        topic.flush();
    }

    private void awaitOthersSucceeded(int number) {
        List<String> others = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            byte[] bytes = ("k" + key).getBytes(StandardCharsets.UTF_8);
            if (!lostPartitions.contains(Utils.toPositive(Utils.murmur2(bytes)) % PARTITIONS)) {
                others.add("k" + key + "-" + number);
            }
        }
        assertThat(others).isNotEmpty();
        await("the tasks on the other nodes")
                .atMost(TestQueue.PATIENCE)
                .pollInterval(TestQueue.POLL_INTERVAL)
                .until(() -> topic.history().succeeded().containsAll(others));
    }

    private int slot(int partition) {
        return SlotHash.getSlot("{" + topic.name() + "/" + partition + "}");
    }

    private static void ask(LocalRedis node, Consumer<RedisCommands<String, String>> question) {
        try (RedisClient client = RedisClient.create(node.address())) {
            question.accept(client.connect().sync());
        }
    }
}
