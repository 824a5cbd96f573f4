package dev.tandem.server.access;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The record of changes that all servers share. It keeps the latest entries. Thread-safe. */
public interface AuditLog {

    /** The most entries of a page. */
    int MAX_PAGE = 1_000;

    /**
     * Records an entry soon. Never waits, and never fails.
     *
     * @param refused whether nothing was changed, as by a refused request or a login. Such entries are kept apart, so that nobody can push out the others with them
     */
    void record(AuditEntry entry, boolean refused);

    /**
     * Returns entries, the latest first.
     *
     * @param refused which ones
     * @param from the earliest time; null for any
     * @param before only entries before this place; null for the latest
     * @param max 1 to {@link #MAX_PAGE}
     */
    List<AuditEntry> page(boolean refused, @Nullable Instant from, @Nullable String before, int max);
}
