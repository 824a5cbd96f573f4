package dev.tandem.benchmarks;

import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Fills the statistics of a queue, all of the points that Redis keeps. The product adds only to the minute that it is, so the others
 * are copies of one that it wrote.
 */
final class ScaleStatistics {

    private static final Duration KEPT = Duration.ofDays(14);
    /** The most points of each length in minutes, see docs/redis-keys.md. */
    private static final Map<Integer, Integer> POINTS = Map.of(1, 180, 5, 300, 60, 336);

    /** Where the beginning of a point is in its MessagePack: a number of four bytes, behind its sign. */
    private static final int START = 2;

    private ScaleStatistics() {}

    static void write(RedisStore store, String redis, String queue) throws Exception {
        long[] buckets = new long[DurationHistogram.BUCKETS];
        Arrays.fill(buckets, 40, 120, 1_234);
        long[] counts = new long[RunCount.values().length];
        Arrays.fill(counts, 56_789);
        DurationHistogram histogram = DurationHistogram.of(buckets);
        store.statistics()
                .add(queue, new RunTally(counts, histogram, histogram), KEPT)
                .get(30, TimeUnit.SECONDS);
        RedisClient client = RedisClient.create(redis);
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            String key = key(connection, queue);
            byte[] point = connection.sync().hget(bytes(key), bytes("1"));
            int now = ByteBuffer.wrap(point).getInt(START);
            POINTS.forEach((step, most) -> {
                byte[][] points = new byte[most][];
                int last = now - now % step - step;
                for (int i = 0; i < most; i++) {
                    points[i] = point.clone();
                    ByteBuffer.wrap(points[i]).putInt(START, last - (most - 1 - i) * step);
                }
                connection.sync().rpush(bytes(key + ":" + step), points);
            });
        } finally {
            client.shutdown();
        }
    }

    private static String key(StatefulRedisConnection<byte[], byte[]> connection, String queue) {
        ScanIterator<byte[]> keys = ScanIterator.scan(
                connection.sync(),
                ScanArgs.Builder.matches("*" + queue + "*statistics").limit(1_000));
        if (!keys.hasNext()) {
            throw new IllegalStateException("Redis has no statistics of the queue " + queue);
        }
        return new String(keys.next(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
