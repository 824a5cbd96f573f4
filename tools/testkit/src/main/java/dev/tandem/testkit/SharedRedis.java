package dev.tandem.testkit;

import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/** A Redis that tests share, with a client. Thread-safe. */
public final class SharedRedis {

    private final LocalRedis redis;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    SharedRedis(LocalMode mode) {
        redis = LocalRedis.builder().mode(mode).start();
        client = RedisClient.create(redis.address());
        connection = client.connect();
    }

    /** Returns {@code redis://127.0.0.1:<port>}. */
    public String uri() {
        return redis.address();
    }

    /** Returns the shared client. Open as many connections as needed, but do not shut it down. */
    public RedisClient client() {
        return client;
    }

    /** Returns commands on a connection that all tests share, for reading keys. */
    public RedisCommands<String, String> commands() {
        return connection.sync();
    }

    @Override
    public String toString() {
        return redis.toString();
    }
}
