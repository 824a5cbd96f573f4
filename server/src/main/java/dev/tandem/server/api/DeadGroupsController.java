package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows the dead tasks of a queue, or of all queues, by type and error. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class DeadGroupsController {

    private final DeadGroupReader reader;
    private final QueueReader queues;

    DeadGroupsController(DeadGroupReader reader, QueueReader queues) {
        this.reader = reader;
        this.queues = queues;
    }

    @GetMapping("/dead-groups")
    DeadGroupViews.AllGroups all(@RequestParam(defaultValue = "50") int limit) {
        return reader.readAll(queues.all(), limit);
    }

    @GetMapping("/queues/{queue}/dead-groups")
    DeadGroupViews.Groups list(@PathVariable String queue, @RequestParam(defaultValue = "50") int limit) {
        return reader.read(queue, limit);
    }
}
