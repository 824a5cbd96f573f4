package dev.tandem.scheduler;

import java.time.Duration;
import java.util.List;

/**
 * The settings of the connection to Redis.
 *
 * @param uris {@code redis://}, {@code rediss://} or {@code redis-sentinel://}; several only for a cluster
 * @param cluster whether the addresses are nodes of a Redis Cluster
 * @param answerTimeout how long an answer may take before the connection is replaced
 * @param replicas how many replicas must confirm before anything counts as durable; 0: none needs to
 * @param horizon how old an answer must be before a later probe proves it durable ({@code tandem.redis.horizon})
 * @param durable whether a Redis that may forget tasks is refused; false with {@code tandem.redis.durability=none}
 * @param headroom the share of {@code maxmemory} that is kept free for outcomes, 0 to 0.9
 */
public record RedisSettings(
        List<String> uris,
        boolean cluster,
        Duration answerTimeout,
        int replicas,
        Duration horizon,
        boolean durable,
        double headroom) {

    /** The default headroom: a tenth. */
    public static final double DEFAULT_HEADROOM = 0.1;

    /** @throws IllegalArgumentException that names the setting, its value and what is allowed */
    public RedisSettings {
        uris = List.copyOf(uris);
        if (uris.isEmpty()) {
            throw new IllegalArgumentException("tandem.redis.uri is empty: it must have at least one address");
        }
        if (uris.size() > 1 && !cluster) {
            throw new IllegalArgumentException(
                    "tandem.redis.uri has " + uris.size()
                            + " addresses, but only a cluster may have several: set tandem.redis.cluster=true, or keep one address");
        }
        if (answerTimeout.toMillis() < 100) {
            throw new IllegalArgumentException(
                    "tandem.redis.answer-timeout is " + answerTimeout + ": it must be at least 100ms");
        }
        if (replicas < 0) {
            throw new IllegalArgumentException("tandem.redis.replicas is " + replicas + ": it must be 0 or more");
        }
        if (replicas > 0 && horizon.toMillis() < 1_000) {
            throw new IllegalArgumentException("tandem.redis.horizon is " + horizon + ": with tandem.redis.replicas="
                    + replicas + " it must be at least 1s");
        }
        if (!(headroom >= 0 && headroom <= 0.9)) {
            throw new IllegalArgumentException("tandem.redis.headroom is " + headroom + ": it must be 0 to 0.9");
        }
    }

    /** Creates settings with the default headroom. */
    public RedisSettings(
            List<String> uris,
            boolean cluster,
            Duration answerTimeout,
            int replicas,
            Duration horizon,
            boolean durable) {
        this(uris, cluster, answerTimeout, replicas, horizon, durable, DEFAULT_HEADROOM);
    }

    /** Creates settings that refuse a Redis that may forget tasks. */
    public RedisSettings(List<String> uris, boolean cluster, Duration answerTimeout, int replicas, Duration horizon) {
        this(uris, cluster, answerTimeout, replicas, horizon, true);
    }

    /** Returns settings of one Redis, or a Sentinel's master: answers within 5 s, no replicas, a horizon of 3 s. */
    public static RedisSettings of(String uri) {
        return new RedisSettings(List.of(uri), false, Duration.ofSeconds(5), 0, Duration.ofSeconds(3));
    }

    /** Returns settings of a cluster, with the same defaults. */
    public static RedisSettings cluster(List<String> uris) {
        return new RedisSettings(uris, true, Duration.ofSeconds(5), 0, Duration.ofSeconds(3));
    }

    public RedisSettings withAnswerTimeout(Duration timeout) {
        return new RedisSettings(uris, cluster, timeout, replicas, horizon, durable, headroom);
    }

    public RedisSettings withReplicas(int count) {
        return new RedisSettings(uris, cluster, answerTimeout, count, horizon, durable, headroom);
    }

    public RedisSettings withHorizon(Duration newHorizon) {
        return new RedisSettings(uris, cluster, answerTimeout, replicas, newHorizon, durable, headroom);
    }

    public RedisSettings withDurable(boolean required) {
        return new RedisSettings(uris, cluster, answerTimeout, replicas, horizon, required, headroom);
    }

    public RedisSettings withHeadroom(double share) {
        return new RedisSettings(uris, cluster, answerTimeout, replicas, horizon, durable, share);
    }
}
