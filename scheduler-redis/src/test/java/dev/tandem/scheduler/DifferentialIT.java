package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.MissingBrokerException;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/**
 * The scripts and the model answer the same to the same random histories, at the same times: on a current Redis, on the
 * oldest supported one, and on a Redis Cluster. {@code -Dtandem.seed=N} begins with the history of that seed.
 */
class DifferentialIT {

    private static final int HISTORIES = Integer.getInteger("tandem.differential.histories", 120);
    private static final int LENGTH = 150;

    @Test
    void theScriptsAnswerAsTheModelDoesForLogs() {
        on(current(), false, HISTORIES);
    }

    @Test
    void theScriptsAnswerAsTheModelDoesForQueues() {
        on(current(), true, HISTORIES);
    }

    @Test
    void soTheyDoOnTheOldestRedis() {
        SharedRedis oldest = Brokers.oldestRedis();
        assertThat(oldest.toString()).startsWith("Redis 6.2");
        on(oldest, false, HISTORIES / 3);
        on(oldest, true, HISTORIES / 3);
    }

    @Test
    void soTheyDoOnACluster() {
        try (LocalRedisCluster cluster = Brokers.ownRedisCluster();
                RedisClusterClient client =
                        RedisClusterClient.create(cluster.nodes().get(0).address())) {
            for (boolean queue : new boolean[] {false, true}) {
                try (FrozenScripts scripts = FrozenScripts.on(client)) {
                    histories(cluster.toString(), scripts, queue, HISTORIES / 3);
                }
            }
        }
    }

    private static SharedRedis current() {
        SharedRedis redis = Brokers.redis();
        return Brokers.orSkip(() -> {
            if (redis.toString().startsWith("Redis 6")) {
                throw new MissingBrokerException("There is only " + redis + ": install a Redis of 7 or later.");
            }
            return redis;
        });
    }

    private static void on(SharedRedis redis, boolean queue, int count) {
        try (FrozenScripts scripts = FrozenScripts.on(redis.client())) {
            histories(redis.toString(), scripts, queue, count);
        }
    }

    private static void histories(String where, FrozenScripts scripts, boolean queue, int count) {
        String name = UniqueNames.fresh("frozen");
        long first = Long.getLong("tandem.seed", System.nanoTime());
        System.out.printf(
                "%d histories of %s, -Dtandem.seed=%d and up, on %s%n", count, queue ? "queues" : "logs", first, where);
        for (int i = 0; i < count; i++) {
            history(first + i, scripts, Partition.of(name, i), queue);
        }
    }

    private static void history(long seed, FrozenScripts scripts, Partition partition, boolean queue) {
        StoreModel model = new StoreModel("run0");
        RandomRequests random = new RandomRequests(
                seed, partition, queue, position -> model.partition(partition).claim(position) != null);
        Deque<String> lately = new ArrayDeque<>();
        long now = 1_800_000_000_000L;
        String run = "run0";
        scripts.runId(partition, run);
        for (int step = 0; step < LENGTH; step++) {
            now += random.pause();
            scripts.time(partition, now);
            if (random.restarts()) {
                run = "run" + step;
                scripts.runId(partition, run);
                model.restarted(run);
            }
            StoreRequest request = random.next(now);
            StoreAnswer expected = model.apply(request, now);
            lately.add(now + " " + Canonical.of(request) + "\n    -> " + Canonical.of(expected));
            if (lately.size() > 40) {
                lately.poll();
            }
            StoreAnswer answer;
            try {
                answer = scripts.ask(request, random.executorOf(request));
            } catch (RuntimeException e) {
                throw new AssertionError("-Dtandem.seed=" + seed + "\n" + String.join("\n", lately), e);
            }
            assertThat(text(answer))
                    .as("-Dtandem.seed=%d, step %d, after\n%s\n", seed, step, String.join("\n", lately))
                    .isEqualTo(text(expected));
            random.learn(request, answer);
        }
    }

    /** Of far-off tasks the scripts say the time when their list is opened, which is some time before they are due. */
    private static String text(StoreAnswer answer) {
        return Canonical.of(answer).replaceAll("nextDueMillis=\\d{5,}", "nextDueMillis=far");
    }
}
