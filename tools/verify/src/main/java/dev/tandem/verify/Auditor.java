package dev.tandem.verify;

import dev.tandem.task.Envelope;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisHashCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the broker what is committed and then the store what it holds, over and over, and records it. When one of them
 * does not answer, nothing is recorded. Reads Redis by its documented keys, not through what it audits.
 */
final class Auditor implements AutoCloseable {

    private static final long EVERY_MILLIS = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final String queue;
    private final int partitions;
    private final @Nullable TrialTopic topic;
    private final EventLog log;
    private final AutoCloseable client;
    private final RedisHashCommands<byte[], byte[]> redis;
    private final Thread thread;
    private volatile boolean enough;
    private volatile Event.@Nullable Audit last;

    /**
     * Starts.
     *
     * @param topic null if the broker keeps no offsets
     * @param store one address, or a cluster's nodes
     */
    Auditor(String queue, int partitions, @Nullable TrialTopic topic, String store, boolean cluster, EventLog log) {
        this.queue = queue;
        this.partitions = partitions;
        this.topic = topic;
        this.log = log;
        if (cluster) {
            RedisClusterClient made = RedisClusterClient.create(
                    Arrays.stream(store.split(" ")).map(Auditor::patient).toList());
            client = made::shutdown;
            redis = made.connect(ByteArrayCodec.INSTANCE).sync();
        } else {
            RedisClient made = RedisClient.create(patient(store));
            client = made::shutdown;
            redis = made.connect(ByteArrayCodec.INSTANCE).sync();
        }
        thread = new Thread(this::run, "verify-audit");
        thread.setDaemon(true);
        thread.start();
    }

    private static RedisURI patient(String uri) {
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(PATIENCE);
        return address;
    }

    private void run() {
        while (!enough) {
            try {
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                audit();
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                // The broker or Redis is away: that is what they are being tested with.
            }
        }
    }

    /** Asks once. @throws Exception if one of them does not answer */
    synchronized Event.Audit audit() throws Exception {
        List<Long> committed = topic == null ? List.of() : topic.committed();
        List<String> held = ids("tasks");
        // A task may die in between, but not come back.
        List<String> dead = ids("dead-tasks");
        Event.Audit audited = new Event.Audit(System.nanoTime(), committed, held, dead);
        log.write(audited);
        last = audited;
        return audited;
    }

    /** What was heard last; null if nothing was yet. */
    Event.@Nullable Audit last() {
        return last;
    }

    private List<String> ids(String part) {
        List<String> ids = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            byte[] key = ("tandem:{" + queue + "/" + partition + "}:" + part).getBytes(StandardCharsets.UTF_8);
            for (byte[] envelope : redis.hvals(key)) {
                String id = Envelope.decode(queue, envelope).task().id();
                ids.add(id == null ? "?" : id);
            }
        }
        return ids;
    }

    /** Asks no more. */
    void stop() {
        enough = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop();
        try {
            client.close();
        } catch (Exception e) {
            // It is not used any more.
        }
    }
}
