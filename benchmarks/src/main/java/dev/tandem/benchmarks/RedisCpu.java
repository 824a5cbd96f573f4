package dev.tandem.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;

/** The processor time that a Redis has used, user and system. */
final class RedisCpu implements AutoCloseable {

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    RedisCpu(String uri) {
        client = RedisClient.create(uri);
        connection = client.connect();
    }

    double micros() {
        double seconds = 0;
        for (String line : connection.sync().info("cpu").split("\r?\n")) {
            if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:")) {
                seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
            }
        }
        return seconds * 1e6;
    }

    /** The memory that Redis itself says it uses, in bytes. */
    long usedMemory() {
        for (String line : connection.sync().info("memory").split("\r?\n")) {
            if (line.startsWith("used_memory:")) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
            }
        }
        throw new IllegalStateException("Redis does not tell its used_memory");
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
