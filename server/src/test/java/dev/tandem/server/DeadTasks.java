package dev.tandem.server;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Dead tasks that no executor has run, written into Redis in partitions that nobody owns. */
final class DeadTasks {

    private static final int KEYS = 7;

    private final RedisCommands<byte[], byte[]> redis;
    private final String prefix;
    private final int partitions;
    private final int perPartition;

    /** Writes them. @param perPartition tasks of each partition */
    DeadTasks(RedisCommands<byte[], byte[]> redis, String namespace, String queue, int partitions, int perPartition) {
        this.redis = redis;
        this.prefix = namespace + ":{" + queue;
        this.partitions = partitions;
        this.perPartition = perPartition;
        for (int partition = 0; partition < partitions; partition++) {
            Map<byte[], byte[]> envelopes = new LinkedHashMap<>();
            List<ScoredValue<byte[]>> times = new ArrayList<>();
            for (int i = 0; i < perPartition; i++) {
                byte[] position = bytes("0:" + i);
                Task task = Task.of(queue, "k" + i % KEYS, new byte[] {1});
                envelopes.put(position, new Envelope(task, 3, 7, "boom").encode());
                times.add(ScoredValue.just(1_700_000_000_000_000L + i, position));
            }
            redis.hset(key(partition, "dead-tasks"), envelopes);
            redis.zadd(key(partition, "dead"), times.toArray(ScoredValue[]::new));
            redis.sadd(bytes(prefix + "}:partitions"), bytes(Integer.toString(partition)));
        }
    }

    long all() {
        return (long) partitions * perPartition;
    }

    /** Returns how many are dead. */
    long left() {
        return sum("dead");
    }

    /** Returns how many wait for their next run. */
    long retried() {
        return sum("retry");
    }

    /** Returns how many times a task was put back, as the store counts. */
    long replayed() {
        long sum = 0;
        for (int partition = 0; partition < partitions; partition++) {
            byte[] count = redis.hget(key(partition, "stats"), bytes("replayed"));
            sum += count == null ? 0 : Long.parseLong(new String(count, StandardCharsets.UTF_8));
        }
        return sum;
    }

    private long sum(String set) {
        long sum = 0;
        for (int partition = 0; partition < partitions; partition++) {
            sum += redis.zcard(key(partition, set));
        }
        return sum;
    }

    private byte[] key(int partition, String part) {
        return bytes(prefix + "/" + partition + "}:" + part);
    }
}
