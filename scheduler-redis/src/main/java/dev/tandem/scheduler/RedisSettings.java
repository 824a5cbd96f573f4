package dev.tandem.scheduler;

import java.time.Duration;
import java.util.List;

/**
 * How Redis is reached.
 *
 * @param uris {@code redis://}, {@code rediss://} or {@code redis-sentinel://}; several only for a cluster
 * @param cluster the addresses are nodes of a Redis Cluster
 * @param answerTimeout how long an answer may take before the connection is given up and made anew
 * @param replicas how many replicas must have confirmed before anything counts as durable; 0: none is asked
 * @param horizon how old an answer must be before a later probe proves it durable ({@code tandem.redis.horizon})
 * @param durable false: {@code tandem.redis.durability=none}, a Redis that may forget tasks is not refused
 */
public record RedisSettings(
        List<String> uris, boolean cluster, Duration answerTimeout, int replicas, Duration horizon, boolean durable) {

    /** @throws IllegalArgumentException naming the setting, its value and what is allowed */
    public RedisSettings {
        uris = List.copyOf(uris);
        if (uris.isEmpty()) {
            throw new IllegalArgumentException("tandem.redis.uri is empty, it must be at least one address");
        }
        if (uris.size() > 1 && !cluster) {
            throw new IllegalArgumentException("tandem.redis.uri has " + uris.size()
                    + " addresses, which only a cluster may have: set tandem.redis.cluster=true or leave one");
        }
        if (answerTimeout.toMillis() < 100) {
            throw new IllegalArgumentException(
                    "tandem.redis.answer-timeout is " + answerTimeout + ", it must be at least 100ms");
        }
        if (replicas < 0) {
            throw new IllegalArgumentException("tandem.redis.replicas is " + replicas + ", it must be 0 or more");
        }
        if (replicas > 0 && horizon.toMillis() < 1_000) {
            throw new IllegalArgumentException("tandem.redis.horizon is " + horizon + ", with tandem.redis.replicas="
                    + replicas + " it must be at least 1s");
        }
    }

    /** The same, durable. */
    public RedisSettings(List<String> uris, boolean cluster, Duration answerTimeout, int replicas, Duration horizon) {
        this(uris, cluster, answerTimeout, replicas, horizon, true);
    }

    /** One Redis, or a Sentinel's master, with defaults: answers within 5 s, no replicas, a horizon of 3 s. */
    public static RedisSettings of(String uri) {
        return new RedisSettings(List.of(uri), false, Duration.ofSeconds(5), 0, Duration.ofSeconds(3));
    }

    /** A cluster, with the same defaults. */
    public static RedisSettings cluster(List<String> uris) {
        return new RedisSettings(uris, true, Duration.ofSeconds(5), 0, Duration.ofSeconds(3));
    }

    public RedisSettings withAnswerTimeout(Duration timeout) {
        return new RedisSettings(uris, cluster, timeout, replicas, horizon, durable);
    }

    public RedisSettings withReplicas(int count) {
        return new RedisSettings(uris, cluster, answerTimeout, count, horizon, durable);
    }

    public RedisSettings withHorizon(Duration newHorizon) {
        return new RedisSettings(uris, cluster, answerTimeout, replicas, newHorizon, durable);
    }

    public RedisSettings withDurable(boolean needed) {
        return new RedisSettings(uris, cluster, answerTimeout, replicas, horizon, needed);
    }
}
