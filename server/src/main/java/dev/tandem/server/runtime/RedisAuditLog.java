package dev.tandem.server.runtime;

import dev.tandem.scheduler.AuditStream;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import dev.tandem.task.FailureText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Keeps the audit log in Redis. Entries wait in memory for it, up to {@value #MAX_WAITING} of each kind, and go there in
 * batches, so that a request waits for nothing. Entries of tasks that are published meanwhile are counted together where they
 * are alike, so that their number does not grow with that of the tasks. A batch is sent once: if its answer is late it may be
 * there all the same, and sent again it would be there twice. Thread-safe.
 */
final class RedisAuditLog implements AuditLog {

    static final int MAX_WAITING = 1_000;
    private static final int BATCH = 100;

    private static final Logger log = LoggerFactory.getLogger(RedisAuditLog.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Map<AuditKind, Kept> kinds = new EnumMap<>(AuditKind.class);

    /** @param most about how many entries are kept: so many changes, and a quarter as many of each other kind */
    RedisAuditLog(Function<AuditKind, AuditStream> streams, long most) {
        for (AuditKind kind : AuditKind.values()) {
            kinds.put(kind, new Kept(kind, streams.apply(kind), kind == AuditKind.CHANGES ? most : most / 4));
        }
    }

    @Override
    public void record(AuditKind kind, AuditEntry entry) {
        kept(kind).add(entry);
    }

    @Override
    public List<AuditEntry> page(AuditKind kind, @Nullable Instant from, @Nullable String before, int max) {
        return RedisCalls.await(kept(kind).stream.page(from == null ? 0 : from.toEpochMilli(), before, max)).stream()
                .map(RedisAuditLog::read)
                .toList();
    }

    private Kept kept(AuditKind kind) {
        return Objects.requireNonNull(kinds.get(kind));
    }

    /** The entries of one kind. */
    private static final class Kept {

        private final AuditKind kind;
        private final AuditStream stream;
        private final long most;

        /** The first of them is sent first. Guarded by this, as the other fields are. */
        private final Map<Object, AuditEntry> waiting = new LinkedHashMap<>();

        private boolean sending;
        private long lost;

        Kept(AuditKind kind, AuditStream stream, long most) {
            this.kind = kind;
            this.stream = stream;
            this.most = most;
        }

        void add(AuditEntry entry) {
            synchronized (this) {
                Object likeness = kind == AuditKind.PUBLISHED ? entry.likeness() : new Object();
                AuditEntry earlier = waiting.get(likeness);
                if (earlier != null) {
                    waiting.put(likeness, earlier.and(entry));
                } else if (waiting.size() < MAX_WAITING) {
                    waiting.put(likeness, entry);
                } else {
                    lost++;
                }
            }
            send();
        }

        /** Sends a batch if none is on its way. */
        private void send() {
            List<AuditEntry> batch = next();
            if (batch.isEmpty()) {
                return;
            }
            stream.append(batch.stream().map(RedisAuditLog::write).toList(), most)
                    .whenComplete((done, failure) -> {
                        warn(failure == null ? 0 : batch.size(), failure);
                        synchronized (this) {
                            sending = false;
                        }
                        send();
                    });
        }

        private synchronized List<AuditEntry> next() {
            List<AuditEntry> batch = new ArrayList<>();
            if (!sending) {
                Iterator<AuditEntry> entries = waiting.values().iterator();
                while (entries.hasNext() && batch.size() < BATCH) {
                    batch.add(entries.next());
                    entries.remove();
                }
                sending = !batch.isEmpty();
            }
            return batch;
        }

        private void warn(int notSent, @Nullable Throwable failure) {
            long missing;
            synchronized (this) {
                missing = lost + notSent;
                lost = 0;
            }
            if (missing > 0) {
                log.warn(
                        "The audit log in Redis may lack {} entries of {}{}{}",
                        missing,
                        kind.text(),
                        failure == null ? "" : " (" + FailureText.of(failure) + ")",
                        kind == AuditKind.PUBLISHED ? "" : ". The log of this server has them");
            }
        }
    }

    static String write(AuditEntry entry) {
        ObjectNode json = JSON.createObjectNode()
                .put("at", entry.at().toEpochMilli())
                .put("who", entry.who())
                .put("role", entry.role())
                .put("token", entry.token())
                .put("by", entry.by())
                .put("from", entry.from())
                .put("action", entry.action())
                .put("subject", entry.subject())
                .put("status", entry.status())
                .put("result", entry.result());
        if (entry.queue() != null) {
            json.put("queue", entry.queue());
        }
        if (entry.task() != null) {
            json.put("task", entry.task());
        }
        if (entry.tasks() != null) {
            json.put("tasks", entry.tasks());
        }
        if (entry.requests() != null) {
            json.put("requests", entry.requests());
        }
        return JSON.writeValueAsString(json);
    }

    /** Reads an entry, also one of an earlier version. */
    static AuditEntry read(AuditStream.Entry kept) {
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
                json.has("queue") ? json.path("queue").asString("") : null,
                json.has("task") ? json.path("task").asString("") : null,
                json.path("status").asInt(0),
                json.path("result").asString(""),
                json.has("tasks") ? json.path("tasks").asLong(0) : null,
                json.has("requests") ? json.path("requests").asInt(1) : null);
    }
}
