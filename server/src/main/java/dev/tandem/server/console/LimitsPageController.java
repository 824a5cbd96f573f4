package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.LimitReader;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;

/** Shows the limits of tasks that run at once, and of those that begin in a time. */
@Controller
@Needs(Permission.VIEW)
final class LimitsPageController {

    private final LimitReader limits;

    LimitsPageController(LimitReader limits) {
        this.limits = limits;
    }

    @GetMapping("/limits")
    Page limits() {
        return Page.live("limits", "nav.limits", limits::all);
    }
}
