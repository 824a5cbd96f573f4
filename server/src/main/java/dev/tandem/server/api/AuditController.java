package dev.tandem.server.api;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.task.LogText;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows who changed what, the latest first. */
@RestController
@RequestMapping("/api/v1/audit")
@Needs(Permission.ADMINISTER)
final class AuditController {

    private static final int DEFAULT_PAGE = 50;
    private static final int MAX_SHOWN = 100;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /** @param next the cursor of the next page; null if this is the last one */
    record Page(List<AuditEntry> entries, @Nullable String next) {}

    private final AuditLog log;

    AuditController(AuditLog log) {
        this.log = log;
    }

    /** Times before 1970 mean from the first entry. */
    private static Instant time(String from) {
        Instant time = Instant.parse(from);
        if (time.isAfter(LATEST)) {
            throw new DateTimeParseException("This time is too far off", from, 0);
        }
        return time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
    }

    @GetMapping
    Page page(
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(defaultValue = "false") boolean refused,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        int max = limit == null ? DEFAULT_PAGE : limit;
        if (max < 1 || max > AuditLog.MAX_PAGE) {
            throw ApiException.parameter("limit", "The parameter limit is " + max, "Use 1 to " + AuditLog.MAX_PAGE);
        }
        List<AuditEntry> entries;
        try {
            entries = log.page(refused, from == null ? null : time(from), cursor, max);
        } catch (DateTimeParseException e) {
            throw ApiException.parameter(
                    "from",
                    "The parameter from is '" + LogText.oneLine(String.valueOf(from), MAX_SHOWN) + "'",
                    "Use a time such as 2026-11-20T10:00:00Z");
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_CURSOR.refusal(
                    "The parameter cursor is '" + LogText.oneLine(String.valueOf(cursor), MAX_SHOWN) + "'",
                    "Use the next of a page");
        }
        return new Page(
                entries,
                entries.size() < max ? null : entries.get(entries.size() - 1).id());
    }
}
