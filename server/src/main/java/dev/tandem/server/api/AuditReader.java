package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the audit log page by page, for the API and the console. Thread-safe. */
public final class AuditReader {

    private static final int MAX_SHOWN = 100;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /** @param next the cursor of the next page; null if this is the last one */
    public record Page(List<AuditEntry> entries, @Nullable String next) {}

    private final AuditLog log;

    AuditReader(AuditLog log) {
        this.log = log;
    }

    /**
     * Returns entries, the latest first.
     *
     * @param from the earliest time; null for any
     * @param cursor null for the latest
     * @param max 1 to {@link AuditLog#MAX_PAGE}
     * @throws ApiException if the time or the cursor cannot be read
     */
    public Page page(AuditKind kind, @Nullable String from, @Nullable String cursor, int max) {
        Cursors cursors = Cursors.of("audit", kind);
        List<AuditEntry> entries;
        try {
            entries = log.page(kind, from == null ? null : time(from), cursors.place(cursor), max);
        } catch (DateTimeParseException e) {
            throw ApiException.parameter(
                    "from",
                    Sentence.of("problem.from", LogText.oneLine(String.valueOf(from), MAX_SHOWN)),
                    Sentence.of("remedy.time"));
        } catch (IllegalArgumentException e) {
            throw Cursors.refusal(e);
        }
        return new Page(
                entries,
                entries.size() < max
                        ? null
                        : cursors.next(entries.get(entries.size() - 1).id()));
    }

    /** Returns the changes of a task, of which nothing is read yet. */
    public TaskChanges of(Views.Task task) {
        List<Views.Attempt> attempts = task.history() == null ? List.of() : task.history();
        return new TaskChanges(
                log,
                task.queue(),
                List.of(task.id(), task.ref()),
                task.publishedAt(),
                attempts.stream()
                        .flatMap(attempt -> Stream.ofNullable(attempt.at()))
                        .min(Comparator.naturalOrder())
                        .orElse(null));
    }

    /** Times before 1970 mean from the first entry. */
    private static Instant time(String from) {
        Instant time = Instant.parse(from);
        if (time.isAfter(LATEST)) {
            throw new DateTimeParseException("This time is too far off", from, 0);
        }
        return time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
    }

    /**
     * Returns the part of the audit log with this name.
     *
     * @throws ApiException if there is none
     */
    public static AuditKind kind(String text) {
        return Arrays.stream(AuditKind.values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> ApiException.parameter(
                        "kind",
                        Sentence.of("problem.kind", LogText.oneLine(text, MAX_SHOWN)),
                        Sentence.of(
                                "remedy.one-of",
                                Arrays.stream(AuditKind.values())
                                        .map(AuditKind::text)
                                        .collect(Collectors.joining(", ")))));
    }
}
