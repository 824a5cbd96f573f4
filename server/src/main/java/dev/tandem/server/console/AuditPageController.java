package dev.tandem.server.console;

import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.AuditReader;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the parts of the audit log, the latest entries first. */
@Controller
@Needs(Permission.ADMINISTER)
final class AuditPageController {

    private static final int PAGE = 50;

    /** The content of the page. @param first whether it begins with the latest entry */
    record Content(AuditKind kind, boolean first, AuditReader.Page page) {

        List<AuditKind> kinds() {
            return List.of(AuditKind.values());
        }
    }

    private final AuditReader log;

    AuditPageController(AuditReader log) {
        this.log = log;
    }

    @GetMapping("/audit")
    Page audit(
            @RequestParam(defaultValue = "changes") String kind,
            @RequestParam(required = false) @Nullable String cursor) {
        AuditKind shown = AuditReader.kind(kind);
        boolean first = cursor == null || cursor.isEmpty();
        Supplier<Content> content = () -> new Content(shown, first, log.page(shown, null, cursor, PAGE));
        return first ? Page.live("audit", "nav.audit", content) : Page.still("audit", "nav.audit", content);
    }
}
