package dev.tandem.server.runtime;

import dev.tandem.scheduler.AuditStream;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditLog;
import dev.tandem.task.FailureText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps the audit log in Redis. Entries wait in memory for it, up to {@value #MAX_WAITING}, and go there in batches, so that a
 * request waits for nothing. The log of the server has the same, whatever becomes of Redis. Thread-safe.
 */
final class RedisAuditLog implements AuditLog {

    static final int MAX_WAITING = 1_000;
    private static final int BATCH = 100;

    private static final Logger log = LoggerFactory.getLogger(RedisAuditLog.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final AuditStream stream;
    private final long most;
    private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicBoolean sending = new AtomicBoolean();
    private final AtomicLong lost = new AtomicLong();

    /** @param most about how many entries are kept */
    RedisAuditLog(AuditStream stream, long most) {
        this.stream = stream;
        this.most = most;
    }

    @Override
    public void record(AuditEntry entry) {
        if (!waiting.offer(write(entry))) {
            lost.incrementAndGet();
        }
        send();
    }

    /** Sends a batch if none is on its way. What fails is sent with the next entry. */
    private void send() {
        if (waiting.isEmpty() || !sending.compareAndSet(false, true)) {
            return;
        }
        List<String> batch = new ArrayList<>();
        waiting.drainTo(batch, BATCH);
        stream.append(batch, most).whenComplete((done, failure) -> {
            if (failure != null) {
                batch.forEach(text -> {
                    if (!waiting.offer(text)) {
                        lost.incrementAndGet();
                    }
                });
                log.warn(
                        "The audit log in Redis cannot be written ({}); {} entries wait for the next change",
                        FailureText.of(failure),
                        waiting.size());
            }
            long missing = lost.getAndSet(0);
            if (missing > 0) {
                log.warn("The audit log in Redis lacks {} entries. The log of this server has them", missing);
            }
            sending.set(false);
            if (failure == null) {
                send();
            }
        });
    }

    @Override
    public List<AuditEntry> page(@Nullable Instant from, @Nullable String before, int max) {
        return RedisCalls.await(stream.page(from == null ? 0 : from.toEpochMilli(), before, max)).stream()
                .map(RedisAuditLog::read)
                .toList();
    }

    private static String write(AuditEntry entry) {
        return JSON.writeValueAsString(JSON.createObjectNode()
                .put("at", entry.at().toEpochMilli())
                .put("who", entry.who())
                .put("role", entry.role())
                .put("from", entry.from())
                .put("action", entry.action())
                .put("subject", entry.subject())
                .put("status", entry.status())
                .put("result", entry.result()));
    }

    private static AuditEntry read(AuditStream.Entry kept) {
        JsonNode json = JSON.readTree(kept.text());
        return new AuditEntry(
                kept.id(),
                Instant.ofEpochMilli(json.path("at").asLong()),
                json.path("who").asString(""),
                json.path("role").asString(""),
                json.path("from").asString(""),
                json.path("action").asString(""),
                json.path("subject").asString(""),
                json.path("status").asInt(0),
                json.path("result").asString(""));
    }
}
