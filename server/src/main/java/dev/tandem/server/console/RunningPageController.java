package dev.tandem.server.console;

import static dev.tandem.server.console.Parameters.given;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.api.RunningReader;
import dev.tandem.server.api.RunningReader.Choice;
import dev.tandem.server.api.RunningReader.Running;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows which tasks of the queues that the caller may see run where, and until when their claims hold. */
@Controller
@Needs({})
final class RunningPageController {

    private static final int LIMIT = 100;

    /**
     * The content of the page.
     *
     * @param queues those that may be chosen
     * @param queue the chosen one; null for all of them
     */
    record Content(List<String> queues, @Nullable String queue, Choice choice, Running running) {

        boolean isFiltered() {
            return queue != null || choice.executor() != null || choice.type() != null;
        }
    }

    private final TandemSettings settings;
    private final RunningReader reader;

    RunningPageController(TandemSettings settings, RunningReader reader) {
        this.settings = settings;
        this.reader = reader;
    }

    @GetMapping("/running")
    Page running(
            @RequestParam(required = false) @Nullable String queue,
            @RequestParam(required = false) @Nullable String executor,
            @RequestParam(required = false) @Nullable String type,
            HttpServletRequest request) {
        QueuesOfCaller queues = QueuesOfCaller.of(settings, request, queue);
        List<String> mine = queues.all();
        String chosen = queues.chosen();
        List<String> looked = chosen == null ? mine : List.of(chosen);
        Choice choice = new Choice(given(executor), given(type));
        return Page.live(
                "running", "nav.running", () -> new Content(mine, chosen, choice, reader.of(looked, choice, LIMIT)));
    }
}
