package dev.tandem.server.api;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows and changes the limits of tasks that run at once in all executors, and of those that begin in a time. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/limits")
final class LimitsController {

    private final LimitReader reader;
    private final LimitEditor editor;

    LimitsController(LimitReader reader, LimitEditor editor) {
        this.reader = reader;
        this.editor = editor;
    }

    @GetMapping
    LimitReader.Limits all() {
        return reader.all();
    }

    @GetMapping("/{limit}")
    LimitReader.Named one(@PathVariable String limit) {
        return reader.one(limit);
    }

    @Needs(Permission.OPERATE)
    @PutMapping("/{limit}/override")
    ChangedLimit set(
            @PathVariable String limit,
            @RequestParam(required = false) @Nullable String revision,
            HttpServletRequest request) {
        Caller caller = Callers.of(request);
        LimitEditor.Wanted wanted = LimitEditor.Wanted.read(RequestLimitFilter.takeBody(request));
        AuditInterceptor.record(request, false, wanted.summary());
        ChangedLimit changed = editor.set(limit, wanted, caller == null ? "nobody" : caller.name(), revision);
        AuditInterceptor.record(request, true, changed.summary());
        return changed;
    }

    @Needs(Permission.OPERATE)
    @DeleteMapping("/{limit}/override")
    ChangedLimit reset(
            @PathVariable String limit,
            @RequestParam(required = false) @Nullable String of,
            @RequestParam(required = false) @Nullable String revision,
            HttpServletRequest request) {
        ChangedLimit changed = editor.reset(limit, LimitEditor.Of.named(of), revision);
        AuditInterceptor.record(request, true, changed.summary());
        return changed;
    }
}
