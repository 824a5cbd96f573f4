package dev.tandem.server.console;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.Callers;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queues of the settings that a caller may view, and the one of them that a page is asked about.
 *
 * @param chosen null if the page is about all
 */
record QueuesOfCaller(List<String> all, @Nullable String chosen) {

    /** @param queue as the request names it; one that the caller may not view counts as none */
    static QueuesOfCaller of(TandemSettings settings, HttpServletRequest request, @Nullable String queue) {
        Caller caller = Callers.of(request);
        List<String> all = settings.queues().keySet().stream()
                .filter(each -> caller != null && caller.may(Permission.VIEW, each))
                .toList();
        return new QueuesOfCaller(all, queue != null && all.contains(queue) ? queue : null);
    }
}
