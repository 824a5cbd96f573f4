package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows which tasks run where, and until when their claims hold. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class RunningController {

    private final RunningReader reader;

    RunningController(RunningReader reader) {
        this.reader = reader;
    }

    @GetMapping("/running")
    RunningReader.Running all(
            @RequestParam(required = false) @Nullable String executor,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(defaultValue = "100") int limit) {
        return reader.all(new RunningReader.Choice(executor, type), limit);
    }

    @GetMapping("/queues/{queue}/running")
    RunningReader.Running ofQueue(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String executor,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(defaultValue = "100") int limit) {
        return reader.of(List.of(queue), new RunningReader.Choice(executor, type), limit);
    }
}
