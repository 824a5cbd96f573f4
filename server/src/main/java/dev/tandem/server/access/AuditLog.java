package dev.tandem.server.access;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The record of changes, logins and published tasks that all servers share. It keeps the latest entries. Thread-safe. */
public interface AuditLog {

    /** The most entries of a page. */
    int MAX_PAGE = 1_000;

    /** Records an entry soon. Never waits, and never fails. */
    void record(AuditKind kind, AuditEntry entry);

    /**
     * Returns entries, the latest first.
     *
     * @param from the earliest time; null for any
     * @param before only entries before this place; null for the latest
     * @param max 1 to {@link #MAX_PAGE}
     */
    List<AuditEntry> page(AuditKind kind, @Nullable Instant from, @Nullable String before, int max);
}
