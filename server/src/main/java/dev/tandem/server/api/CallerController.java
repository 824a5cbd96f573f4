package dev.tandem.server.api;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells callers who they are. */
@RestController
@RequestMapping("/api/v1/caller")
@Needs({})
final class CallerController {

    record View(
            String name,
            String role,
            @Nullable List<String> queues,
            @Nullable String token,
            String by) {}

    @GetMapping
    View show(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        if (caller == null) {
            throw new IllegalStateException("A request without a caller passed the login");
        }
        return new View(
                caller.name(),
                caller.role().text(),
                caller.queues().isEmpty() ? null : caller.queues(),
                caller.token(),
                caller.by().text());
    }
}
