package dev.tandem.testkit;

import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/** A Redis that tests share, and a connection to look into it. Thread-safe. */
public final class SharedRedis {

    private final LocalRedis redis;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    SharedRedis(LocalMode mode) {
        redis = LocalRedis.builder().mode(mode).start();
        client = RedisClient.create(redis.address());
        connection = client.connect();
    }

    /** {@code redis://127.0.0.1:<port>}. */
    public String uri() {
        return redis.address();
    }

    /** A client, shared: connect with it as often as needed, do not shut it down. */
    public RedisClient client() {
        return client;
    }

    /** Commands on a connection that all tests share, for looking into keys. */
    public RedisCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    public String toString() {
        return redis.toString();
    }
}
