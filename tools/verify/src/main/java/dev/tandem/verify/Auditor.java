package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.task.Envelope;
import dev.tandem.verify.record.Event;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
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
 * Periodically asks the broker what is committed, then the store what it holds, and records the answers. Records
 * nothing if one of them does not answer. Reads the documented keys of Redis directly rather than through the code
 * under test.
 */
final class Auditor implements AutoCloseable {

    private static final long INTERVAL_MILLIS = 500;
    /** The store usually answers all questions of an audit within some milliseconds. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final String queue;
    private final int partitions;
    private final @Nullable TrialTopic topic;
    private final JsonLinesLog<Event> log;
    private final AutoCloseable client;
    private final RedisHashCommands<byte[], byte[]> redis;
    /** Null if the store has no Sentinels. */
    private @Nullable RedisClient sentinels;

    private final Thread thread;
    private volatile boolean stopped;
    private volatile Event.@Nullable Audit last;

    /**
     * Starts auditing.
     *
     * @param topic null if the broker keeps no offsets
     * @param store one address, or those of a cluster's nodes separated by spaces
     */
    Auditor(
            String queue,
            int partitions,
            @Nullable TrialTopic topic,
            String store,
            boolean cluster,
            JsonLinesLog<Event> log) {
        this.queue = queue;
        this.partitions = partitions;
        this.topic = topic;
        this.log = log;
        if (cluster) {
            RedisClusterClient clusterClient = RedisClusterClient.create(
                    Arrays.stream(store.split(" ")).map(Auditor::withTimeout).toList());
            client = clusterClient::shutdown;
            redis = clusterClient.connect(ByteArrayCodec.INSTANCE).sync();
        } else {
            RedisClient singleClient = RedisClient.create(withTimeout(store));
            client = singleClient::shutdown;
            redis = singleClient.connect(ByteArrayCodec.INSTANCE).sync();
            if (store.contains("-sentinel://")) {
                sentinels = singleClient;
            }
        }
        thread = new Thread(this::run, "verify-audit");
        thread.setDaemon(true);
        thread.start();
    }

    private static RedisURI withTimeout(String uri) {
        RedisURI address = RedisURI.create(uri);
        address.setTimeout(TIMEOUT);
        return address;
    }

    private void run() {
        while (!stopped) {
            try {
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
                audit();
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                // The broker or Redis is down, as some faults intend.
            }
        }
    }

    /** Asks broker and store once. @throws Exception if one of them does not answer */
    synchronized Event.Audit audit() throws Exception {
        List<Long> committed = topic == null ? List.of() : topic.committed();
        Event.Audit audited = sentinels == null ? audit(committed, redis) : auditPrimary(committed, sentinels);
        log.write(audited);
        last = audited;
        return audited;
    }

    /** Asks the primary that the Sentinels name now: an open connection may lead to a former one. */
    private Event.Audit auditPrimary(List<Long> committed, RedisClient client) {
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            return audit(committed, connection.sync());
        }
    }

    private Event.Audit audit(List<Long> committed, RedisHashCommands<byte[], byte[]> store) {
        long asked = System.nanoTime();
        try {
            List<String> held = ids(store, "tasks");
            // Asked last, since a task may die in between, but a dead task cannot come back.
            List<String> dead = ids(store, "dead-tasks");
            return new Event.Audit(System.nanoTime(), committed, held, dead);
        } finally {
            long answered = System.nanoTime();
            if (answered - asked > SLOW_NANOS) {
                log.write(new Event.ServerStalled(answered, Event.Server.STORE, asked));
            }
        }
    }

    /** Returns the last audit; null if there was none yet. */
    Event.@Nullable Audit last() {
        return last;
    }

    private List<String> ids(RedisHashCommands<byte[], byte[]> store, String part) {
        List<String> ids = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            byte[] key = ("tandem:{" + queue + "/" + partition + "}:" + part).getBytes(StandardCharsets.UTF_8);
            for (byte[] envelope : store.hvals(key)) {
                String id = Envelope.decode(queue, envelope).task().id();
                ids.add(id == null ? "?" : id);
            }
        }
        return ids;
    }

    /** Stops auditing. */
    void stop() {
        stopped = true;
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
            // The client is not used any more.
        }
    }
}
