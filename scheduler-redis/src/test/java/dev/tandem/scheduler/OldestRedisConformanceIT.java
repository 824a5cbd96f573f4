package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import org.junit.jupiter.api.Test;

/** Runs the conformance tests on Redis 6.2, the oldest supported version. */
class OldestRedisConformanceIT extends RedisStoreConformanceIT {

    @Override
    SharedRedis redis() {
        return Brokers.oldestRedis();
    }

    @Test
    void runsOnTheOldestSupportedRedis() {
        assertThat(redis().commands().info("server")).contains("redis_version:6.2.");
    }
}
