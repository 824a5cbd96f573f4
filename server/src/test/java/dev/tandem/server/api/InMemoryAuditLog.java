package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An audit log in memory. */
final class InMemoryAuditLog implements AuditLog {

    private final Map<AuditKind, List<AuditEntry>> kinds = new ConcurrentHashMap<>();
    final List<AuditEntry> entries = of(AuditKind.CHANGES);
    final List<AuditEntry> refused = of(AuditKind.REFUSED);
    final List<AuditEntry> logins = of(AuditKind.LOGINS);
    final List<AuditEntry> loginLinks = of(AuditKind.LOGIN_LINKS);
    final List<AuditEntry> failedLogins = of(AuditKind.FAILED_LOGINS);
    final List<AuditEntry> published = of(AuditKind.PUBLISHED);

    private List<AuditEntry> of(AuditKind kind) {
        return kinds.computeIfAbsent(kind, each -> new CopyOnWriteArrayList<>());
    }

    void reset() {
        kinds.values().forEach(List::clear);
    }

    @Override
    public void record(AuditKind kind, AuditEntry entry) {
        of(kind).add(entry);
    }

    @Override
    public List<AuditEntry> page(AuditKind kind, @Nullable Instant from, @Nullable String before, int max) {
        ApiTestBase.PLATFORM.check();
        List<AuditEntry> latestFirst = new ArrayList<>(of(kind));
        Collections.reverse(latestFirst);
        if (before != null) {
            List<String> ids = latestFirst.stream().map(AuditEntry::id).toList();
            latestFirst = latestFirst.subList(ids.indexOf(before) + 1, ids.size());
        }
        return latestFirst.subList(0, Math.min(max, latestFirst.size()));
    }
}
