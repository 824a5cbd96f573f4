package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows the dead tasks of a queue by type and error. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/dead-groups")
final class DeadGroupsController {

    private final DeadGroupReader reader;

    DeadGroupsController(DeadGroupReader reader) {
        this.reader = reader;
    }

    @GetMapping
    DeadGroupViews.Groups list(@PathVariable String queue, @RequestParam(defaultValue = "50") int limit) {
        return reader.read(queue, limit);
    }
}
