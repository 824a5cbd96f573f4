package dev.tandem.scheduler;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The settings of the connection to Redis.
 *
 * @param uris {@code redis://}, {@code rediss://} or {@code redis-sentinel://}; several only for a cluster
 * @param cluster whether the addresses are nodes of a Redis Cluster
 * @param namespace the beginning of all keys and channels; platforms that share a Redis need different ones
 * @param answerTimeout how long an answer may take before the connection is replaced
 * @param replicas how many replicas must confirm before anything counts as durable; 0: none needs to; empty: as many as
 *     Redis was seen to have
 * @param horizon how old an answer must be before a later probe proves it durable ({@code tandem.redis.horizon})
 * @param durable whether a Redis that may forget tasks is refused; false with {@code tandem.redis.durability=none}
 * @param headroom the share of {@code maxmemory} that is kept free for outcomes, 0 to 0.9
 * @param access how connections log in, and what they trust
 */
public record RedisSettings(
        List<String> uris,
        boolean cluster,
        String namespace,
        Duration answerTimeout,
        OptionalInt replicas,
        Duration horizon,
        boolean durable,
        double headroom,
        RedisAccess access) {

    /** The default headroom: a tenth. */
    public static final double DEFAULT_HEADROOM = 0.1;

    public static final String DEFAULT_NAMESPACE = "tandem";

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,50}");
    private static final Duration DEFAULT_ANSWER_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DEFAULT_HORIZON = Duration.ofSeconds(3);

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
        if (!isNamespace(namespace)) {
            throw new IllegalArgumentException("tandem.redis.namespace is " + namespace
                    + ": it must be 1 to 50 letters, digits, dots, underscores or hyphens");
        }
        if (answerTimeout.toMillis() < 100) {
            throw new IllegalArgumentException(
                    "tandem.redis.answer-timeout is " + answerTimeout + ": it must be at least 100ms");
        }
        if (replicas.isPresent() && replicas.getAsInt() < 0) {
            throw new IllegalArgumentException(
                    "tandem.redis.replicas is " + replicas.getAsInt() + ": it must be 0 or more");
        }
        if (replicas.orElse(0) > 0 && horizon.toMillis() < 1_000) {
            throw new IllegalArgumentException("tandem.redis.horizon is " + horizon + ": with tandem.redis.replicas="
                    + replicas.getAsInt() + " it must be at least 1s");
        }
        if (!(headroom >= 0 && headroom <= 0.9)) {
            throw new IllegalArgumentException("tandem.redis.headroom is " + headroom + ": it must be 0 to 0.9");
        }
    }

    /** Returns whether keys may begin with this name. */
    public static boolean isNamespace(String name) {
        return NAMESPACE.matcher(name).matches();
    }

    /**
     * Returns settings of one Redis, or a Sentinel's master: answers within 5 s, all replicas that are seen, a horizon of
     * 3 s. They refuse a Redis that may forget tasks.
     */
    public static RedisSettings of(String uri) {
        return defaults(List.of(uri), false);
    }

    /** Returns settings of a cluster, with the same defaults. */
    public static RedisSettings cluster(List<String> uris) {
        return defaults(uris, true);
    }

    private static RedisSettings defaults(List<String> uris, boolean cluster) {
        return new RedisSettings(
                uris,
                cluster,
                DEFAULT_NAMESPACE,
                DEFAULT_ANSWER_TIMEOUT,
                OptionalInt.empty(),
                DEFAULT_HORIZON,
                true,
                DEFAULT_HEADROOM,
                RedisAccess.OF_ADDRESS);
    }

    public RedisSettings withNamespace(String name) {
        return new RedisSettings(uris, cluster, name, answerTimeout, replicas, horizon, durable, headroom, access);
    }

    public RedisSettings withAnswerTimeout(Duration timeout) {
        return new RedisSettings(uris, cluster, namespace, timeout, replicas, horizon, durable, headroom, access);
    }

    public RedisSettings withReplicas(int count) {
        return new RedisSettings(
                uris, cluster, namespace, answerTimeout, OptionalInt.of(count), horizon, durable, headroom, access);
    }

    public RedisSettings withHorizon(Duration newHorizon) {
        return new RedisSettings(
                uris, cluster, namespace, answerTimeout, replicas, newHorizon, durable, headroom, access);
    }

    public RedisSettings withDurable(boolean required) {
        return new RedisSettings(
                uris, cluster, namespace, answerTimeout, replicas, horizon, required, headroom, access);
    }

    public RedisSettings withHeadroom(double share) {
        return new RedisSettings(uris, cluster, namespace, answerTimeout, replicas, horizon, durable, share, access);
    }

    public RedisSettings withAccess(RedisAccess other) {
        return new RedisSettings(uris, cluster, namespace, answerTimeout, replicas, horizon, durable, headroom, other);
    }
}
