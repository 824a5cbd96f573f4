package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows how tasks ended, from the archive. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class ArchiveController {

    private final ArchiveReader reader;

    ArchiveController(ArchiveReader reader) {
        this.reader = reader;
    }

    @GetMapping("/archive")
    ArchiveReader.Page search(
            @RequestParam(required = false) @Nullable String queue,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String from,
            @RequestParam(required = false) @Nullable String until,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        return reader.page(new ArchiveReader.Choice(queue, id, key, type, state, from, until), cursor, limit);
    }

    @GetMapping("/queues/{queue}/archive/{id}")
    ArchiveReader.ArchivedTask one(@PathVariable String queue, @PathVariable String id) {
        return reader.one(queue, id);
    }
}
