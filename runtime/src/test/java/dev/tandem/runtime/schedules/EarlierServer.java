package dev.tandem.runtime.schedules;

import dev.tandem.local.LocalRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.zip.CRC32;

/** A server of the versions that do not keep deleted schedules: it changes the keys of schedules as its scripts did. */
record EarlierServer(LocalRedis redis) {

    static int bucket(String id) {
        CRC32 crc = new CRC32();
        crc.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % 16);
    }

    private static String key(String id, String name) {
        return "tandem:{~schedules/" + bucket(id) + "}:" + name;
    }

    void creates(String id, String version) {
        on(commands -> {
            commands.hset(key(id, "definitions"), id, "{\"definition\": \"" + version + "\"}");
            commands.hset(key(id, "versions"), id, "1 " + version + " t");
            commands.hset(key(id, "created"), id, version);
            commands.hset(key(id, "payloads"), id, "payload");
            commands.zadd(key(id, "seen"), 1, id);
            return commands.hincrby(key(id, "created"), "", 1);
        });
    }

    void deletes(String id, boolean created) {
        on(commands -> {
            List.of("definitions", "versions", "fired", "created", "payloads")
                    .forEach(name -> commands.hdel(key(id, name), id));
            commands.zrem(key(id, "seen"), id);
            return created ? commands.hincrby(key(id, "created"), "", 1) : 0;
        });
    }

    /** Returns whether a deleted schedule is kept, of which such a server knows nothing. */
    boolean keeps(String id) {
        return on(commands -> commands.hexists(key(id, "deleted"), id));
    }

    private <T> T on(Function<RedisCommands<String, String>, T> change) {
        RedisClient client = RedisClient.create(redis.address());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return change.apply(connection.sync());
        } finally {
            client.shutdown();
        }
    }
}
