package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.words.Sentence;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Says why a key or a task does not move. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}")
final class WhyController {

    private final ConfiguredQueues queues;
    private final WhyReader reader;

    WhyController(ConfiguredQueues queues, WhyReader reader) {
        this.queues = queues;
        this.reader = reader;
    }

    @GetMapping("/keys/{key}/why")
    WhyView key(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String zone) {
        queues.get(queue);
        return reader.key(queue, key, zone(zone)).view();
    }

    @GetMapping("/tasks/{id}/why")
    WhyView task(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String zone) {
        queues.get(queue);
        return reader.task(queue, id, zone(zone)).view();
    }

    private static ZoneId zone(@Nullable String zone) {
        try {
            return zone == null ? ZoneOffset.UTC : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw ApiException.badRequest(Sentence.of("problem.zone", zone), Sentence.of("remedy.zone"));
        }
    }
}
