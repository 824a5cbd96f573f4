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
 * Keeps the audit log in Redis. Entries wait in memory for it, up to {@value #MAX_WAITING} of each kind, and go there in
 * batches, so that a request waits for nothing. A batch is sent once: if its answer is late it may be there all the same, and
 * sent again it would be there twice. The log of the server has the same entries, whatever becomes of Redis. Thread-safe.
 */
final class RedisAuditLog implements AuditLog {

    static final int MAX_WAITING = 1_000;
    private static final int BATCH = 100;

    private static final Logger log = LoggerFactory.getLogger(RedisAuditLog.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Kept made;
    private final Kept refused;

    /** @param most about how many entries are kept: so many changes, and a quarter as many refused ones */
    RedisAuditLog(AuditStream made, AuditStream refused, long most) {
        this.made = new Kept(made, most);
        this.refused = new Kept(refused, most / 4);
    }

    @Override
    public void record(AuditEntry entry, boolean wasRefused) {
        (wasRefused ? refused : made).add(write(entry));
    }

    @Override
    public List<AuditEntry> page(boolean ofRefused, @Nullable Instant from, @Nullable String before, int max) {
        AuditStream stream = (ofRefused ? refused : made).stream;
        return RedisCalls.await(stream.page(from == null ? 0 : from.toEpochMilli(), before, max)).stream()
                .map(RedisAuditLog::read)
                .toList();
    }

    /** The entries of one kind. */
    private static final class Kept {

        private final AuditStream stream;
        private final long most;
        private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
        private final AtomicBoolean sending = new AtomicBoolean();
        private final AtomicLong lost = new AtomicLong();

        Kept(AuditStream stream, long most) {
            this.stream = stream;
            this.most = most;
        }

        void add(String entry) {
            if (!waiting.offer(entry)) {
                lost.incrementAndGet();
            }
            send();
        }

        /** Sends a batch if none is on its way. */
        private void send() {
            if (waiting.isEmpty() || !sending.compareAndSet(false, true)) {
                return;
            }
            List<String> batch = new ArrayList<>();
            waiting.drainTo(batch, BATCH);
            stream.append(batch, most).whenComplete((done, failure) -> {
                long missing = lost.getAndSet(0);
                if (failure != null || missing > 0) {
                    log.warn(
                            "The audit log in Redis may lack {} entries{}. The log of this server has them",
                            missing + (failure == null ? 0 : batch.size()),
                            failure == null ? "" : " (" + FailureText.of(failure) + ")");
                }
                sending.set(false);
                send();
            });
        }
    }

    private static String write(AuditEntry entry) {
        return JSON.writeValueAsString(JSON.createObjectNode()
                .put("at", entry.at().toEpochMilli())
                .put("who", entry.who())
                .put("role", entry.role())
                .put("token", entry.token())
                .put("by", entry.by())
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
                json.path("token").asString(""),
                json.path("by").asString(""),
                json.path("from").asString(""),
                json.path("action").asString(""),
                json.path("subject").asString(""),
                json.path("status").asInt(0),
                json.path("result").asString(""));
    }
}
