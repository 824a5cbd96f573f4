package dev.tandem.server.api;

import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows blocked keys, and reopens halted ones. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/keys")
final class KeysController {

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Administration administration;

    KeysController(ConfiguredQueues queues, Inspection inspection, Administration administration) {
        this.queues = queues;
        this.inspection = inspection;
        this.administration = administration;
    }

    @GetMapping
    Views.Keys list(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        queues.get(queue);
        try {
            Page<KeyInfo> page = inspection.keys(queue, cursor, TasksController.bounded(limit));
            return new Views.Keys(page.items().stream().map(Views.Key::of).toList(), page.next());
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()), "Start again without a cursor");
        }
    }

    @GetMapping("/{key}")
    Views.Key one(@PathVariable String queue, @PathVariable String key) {
        queues.get(queue);
        List<Views.Key> found =
                inspection.key(queue, key).stream().map(Views.Key::of).toList();
        return found.isEmpty() ? Views.Key.open(key) : found.get(0).and(found.subList(1, found.size()));
    }

    @PostMapping("/{key}/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed retry(@PathVariable String queue, @PathVariable String key) {
        return change(queue, key, KeyAction.RETRY);
    }

    @PostMapping("/{key}/skip")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed skip(@PathVariable String queue, @PathVariable String key) {
        return change(queue, key, KeyAction.SKIP);
    }

    @PostMapping("/{key}/drain")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed drain(@PathVariable String queue, @PathVariable String key) {
        return change(queue, key, KeyAction.DRAIN);
    }

    private Views.Changed change(String queue, String key, KeyAction action) {
        queues.get(queue);
        Change change = administration.key(queue, key, action);
        return switch (change) {
            case DONE -> new Views.Changed(1);
            case NOT_FOUND ->
                throw ApiException.conflict(
                        "The key '" + key + "' is not blocked", "Nothing needs to be done: its tasks may run");
            case RUNNING ->
                throw ApiException.conflict("The key '" + key + "' has a running task", "Wait until it has ended");
        };
    }
}
