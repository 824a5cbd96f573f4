package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.RedisCheckpoint;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Redis restarts under load, with or without its last writes. */
class RedisRestartIT {

    private static final int KEYS = 100;
    private static final int PER_KEY = 40;

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void nothingIsLostWhenRedisRestartsUnderLoad() {
        try (LocalRedis redis = Brokers.ownRedis();
                KafkaTestQueue topic = new KafkaTestQueue("restarted", 4, redis.address());
                TestWorker worker = new TestWorker(topic.worker())) {
            publish(topic);
            awaitSome(topic);
            redis.kill();
            redis.start();

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            topic.history().assertOrderAndExclusion();
            await().atMost(KafkaTestQueue.PATIENCE).until(() -> worker.status().healthy());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void nothingIsLostWhenRedisForgetsItsLastWrites() {
        try (LocalRedis redis = Brokers.ownRedis();
                KafkaTestQueue topic = new KafkaTestQueue("forgetful", 4, redis.address());
                TestWorker worker = new TestWorker(topic.worker())) {
            publish(topic);
            awaitSome(topic);
            RedisCheckpoint checkpoint = redis.checkpoint();
            int before = topic.history().succeeded().size();
            await("more successes, which Redis will forget")
                    .atMost(KafkaTestQueue.PATIENCE)
                    .until(() -> topic.history().succeeded().size() > before + 50);
            redis.restartFrom(checkpoint);

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            topic.history().assertOrderAndExclusion();
            await().atMost(KafkaTestQueue.PATIENCE).until(() -> worker.status().healthy());
        }
    }

    private static void publish(KafkaTestQueue topic) {
        for (int number = 0; number < PER_KEY; number++) {
            for (int key = 0; key < KEYS; key++) {
                // 2 % of all tasks fail once, spread over the keys. Each failure blocks its key for a second.
                topic.send("k" + key, number, (key + 3 * number) % 50 == 0 ? "fail-once" : "work");
            }
        }
    }

    private static void awaitSome(KafkaTestQueue topic) {
        await("some tasks to succeed")
                .atMost(KafkaTestQueue.PATIENCE)
                .until(() -> topic.history().succeeded().size() > KEYS);
        assertThat(topic.history().succeeded().size()).isLessThan(KEYS * PER_KEY);
    }
}
