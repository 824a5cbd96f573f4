package dev.tandem.server.api;

import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.words.Sentence;
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

    private final AuditReader reader;

    AuditController(AuditReader reader) {
        this.reader = reader;
    }

    @GetMapping
    AuditReader.Page page(
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String kind,
            @RequestParam(defaultValue = "false") boolean refused,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        int max = limit == null ? DEFAULT_PAGE : limit;
        if (max < 1 || max > AuditLog.MAX_PAGE) {
            throw ApiException.parameter(
                    "limit", Sentence.of("problem.limit", max), Sentence.of("remedy.one-to", AuditLog.MAX_PAGE));
        }
        AuditKind shown = kind == null ? refused ? AuditKind.REFUSED : AuditKind.CHANGES : AuditReader.kind(kind);
        return reader.page(shown, from, cursor, max);
    }
}
