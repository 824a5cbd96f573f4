package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An audit log in memory. */
final class InMemoryAuditLog implements AuditLog {

    final List<AuditEntry> entries = new CopyOnWriteArrayList<>();
    final List<AuditEntry> refused = new CopyOnWriteArrayList<>();

    void reset() {
        entries.clear();
        refused.clear();
    }

    @Override
    public void record(AuditEntry entry, boolean wasRefused) {
        (wasRefused ? refused : entries).add(entry);
    }

    @Override
    public List<AuditEntry> page(boolean ofRefused, @Nullable Instant from, @Nullable String before, int max) {
        List<AuditEntry> latestFirst = new ArrayList<>(ofRefused ? refused : entries);
        Collections.reverse(latestFirst);
        return latestFirst.subList(0, Math.min(max, latestFirst.size()));
    }
}
