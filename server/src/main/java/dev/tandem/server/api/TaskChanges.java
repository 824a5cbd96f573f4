package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The changes that people have made to one task by its name, from the audit log. The log is read from its end back to when the task
 * was published, if that is certain, {@value #MOST_READ} entries at most; after that, only what has come since. Thread-safe.
 */
public final class TaskChanges {

    /** The most entries that are read at a time. */
    static final int MOST_READ = 1_000;

    /** The most changes that are kept, the latest. */
    private static final int MOST_KEPT = 100;

    /** By how much the clocks of a publisher and of Redis may differ. */
    private static final Duration CLOCKS = Duration.ofHours(1);

    /**
     * The changes that are known.
     *
     * @param changes the earliest first
     * @param complete whether there is none before them
     */
    public record Known(List<AuditEntry> changes, boolean complete) {

        /** The changes of a task of which none is known. */
        public static final Known NONE = new Known(List.of(), true);
    }

    /** The result of all readings by now. @param latest the place of the latest entry of the log; empty before the first one */
    private record State(Known known, String latest) {}

    private final AuditLog log;
    private final String queue;
    private final List<String> names;

    /** The task as entries of earlier versions name it. */
    private final List<String> subjects;

    private final @Nullable Instant since;
    private final AtomicReference<State> state = new AtomicReference<>(new State(Known.NONE, ""));

    /**
     * Takes a task of which nothing is read yet.
     *
     * @param names how it may be named: its id, and its reference
     * @param published when it was published, by the clock of its publisher; null if that is not known
     * @param began when the first known attempt began; null if none is known. A publisher's clock that says that the task was
     *     published later than that is wrong
     */
    TaskChanges(AuditLog log, String queue, List<String> names, @Nullable Instant published, @Nullable Instant began) {
        this.log = log;
        this.queue = queue;
        this.names = names;
        this.subjects =
                names.stream().map(name -> AuditInterceptor.task(queue, name)).toList();
        this.since = published == null
                        || began == null
                        || published.isAfter(began)
                        || published.isBefore(Instant.EPOCH.plus(CLOCKS))
                ? null
                : published.minus(CLOCKS);
    }

    /** Reads what has come since it was read last. */
    public Known read() {
        State before = state.get();
        List<AuditEntry> read = log.page(AuditKind.CHANGES, from(before.latest()), null, MOST_READ);
        List<AuditEntry> fresh = new ArrayList<>();
        boolean joined = false;
        for (AuditEntry entry : read) {
            if (!before.latest().isEmpty() && entry.id().equals(before.latest())) {
                joined = true;
                break;
            }
            if (isOfTask(entry)) {
                fresh.add(entry);
            }
        }
        Collections.reverse(fresh);
        List<AuditEntry> changes = new ArrayList<>(
                before.latest().isEmpty() ? List.of() : before.known().changes());
        changes.addAll(fresh);
        boolean complete =
                (joined || read.size() < MOST_READ) && before.known().complete() && changes.size() <= MOST_KEPT;
        Known now = new Known(
                List.copyOf(changes.subList(Math.max(0, changes.size() - MOST_KEPT), changes.size())), complete);
        state.set(new State(now, read.isEmpty() ? before.latest() : read.get(0).id()));
        return now;
    }

    /** Returns from when on to read. The place of an entry begins with the milliseconds at which Redis got it. */
    private @Nullable Instant from(String latest) {
        if (latest.isEmpty()) {
            return since;
        }
        return Instant.ofEpochMilli(Long.parseLong(latest.substring(0, latest.indexOf('-'))));
    }

    /** Whether an entry names the task; in entries of earlier versions, alone or with parameters behind it. */
    private boolean isOfTask(AuditEntry entry) {
        if (entry.queue() != null) {
            return entry.queue().equals(queue) && entry.task() != null && names.contains(entry.task());
        }
        return subjects.stream()
                .anyMatch(subject ->
                        entry.subject().equals(subject) || entry.subject().startsWith(subject + " ("));
    }
}
