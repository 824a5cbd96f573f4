package dev.tandem.it;

import dev.tandem.task.Envelope;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a queue's dead tasks from Redis. */
final class DeadTasks {

    private DeadTasks() {}

    /** Returns the dead tasks of all partitions, in no particular order. */
    static List<Envelope> of(String queue, int partitions) {
        try (StatefulRedisConnection<byte[], byte[]> redis =
                Brokers.redis().client().connect(ByteArrayCodec.INSTANCE)) {
            List<Envelope> dead = new ArrayList<>();
            for (int partition = 0; partition < partitions; partition++) {
                String key = "tandem:{" + queue + "/" + partition + "}:dead-tasks";
                redis.sync()
                        .hvals(key.getBytes(StandardCharsets.UTF_8))
                        .forEach(envelope -> dead.add(Envelope.decode(queue, envelope)));
            }
            return dead;
        }
    }
}
