package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskRef;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows blocked keys, and lets operators decide what becomes of their heads. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/keys")
final class KeysController {

    /** How many parked tasks a single key shows. */
    private static final int SHOWN_BEHIND = 10;

    /** The keys that need somebody come first. */
    private static final Comparator<KeyInfo> HALTED_FIRST = Comparator.comparing(key -> !key.isHalted());

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
        QueueSettings settings = queues.get(queue);
        try {
            Page<KeyInfo> page = inspection.keys(queue, cursor, TasksController.bounded(limit));
            Pauses pauses = Pauses.of(inspection, queue);
            return new Views.Keys(
                    page.items().stream()
                            .sorted(HALTED_FIRST)
                            .map(key -> Views.Key.of(key, headTask(queue, settings, pauses, key), null))
                            .toList(),
                    page.next(),
                    Views.partial(page));
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_CURSOR.refusal(String.valueOf(e.getMessage()), "Start again without a cursor");
        }
    }

    @GetMapping("/{key}")
    Views.Key one(@PathVariable String queue, @PathVariable String key) {
        QueueSettings settings = queues.get(queue);
        Pauses pauses = Pauses.of(inspection, queue);
        List<Views.Key> found = inspection.key(queue, key).stream()
                .map(each -> Views.Key.of(
                        each, headTask(queue, settings, pauses, each), behind(queue, settings, pauses, each)))
                .toList();
        return found.isEmpty() ? Views.Key.open(key) : found.get(0).and(found.subList(1, found.size()));
    }

    private static Views.@Nullable Task headTask(String queue, QueueSettings settings, Pauses pauses, KeyInfo key) {
        return key.headTask() == null ? null : TaskViews.inList(queue, settings, pauses, key.headTask());
    }

    private @Nullable List<Views.Task> behind(String queue, QueueSettings settings, Pauses pauses, KeyInfo key) {
        if (key.parked() == 0) {
            return null;
        }
        return inspection.parkedBehind(queue, key.partition(), key.key(), SHOWN_BEHIND).stream()
                .map(task -> TaskViews.inList(queue, settings, pauses, task))
                .toList();
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{key}/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.KeyChanged retry(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String head,
            HttpServletRequest request) {
        return change(queue, key, KeyAction.RETRY, false, head, request);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{key}/skip")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.KeyChanged skip(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(defaultValue = "false") boolean force,
            @RequestParam(required = false) @Nullable String head,
            HttpServletRequest request) {
        return change(queue, key, KeyAction.SKIP, force, head, request);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{key}/drain")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.KeyChanged drain(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(defaultValue = "false") boolean force,
            @RequestParam(required = false) @Nullable String head,
            HttpServletRequest request) {
        return change(queue, key, KeyAction.DRAIN, force, head, request);
    }

    private Views.KeyChanged change(
            String queue,
            String key,
            KeyAction action,
            boolean force,
            @Nullable String head,
            HttpServletRequest request) {
        QueueSettings settings = queues.get(queue);
        List<KeyChange> changes = administration.key(queue, key, action, force, head == null ? null : ref(head));
        if (changes.isEmpty()) {
            throw ProblemType.KEY_NOT_BLOCKED.refusal(
                    "The key '" + key + "' is not blocked", "Nothing needs to be done: its tasks may run");
        }
        OperatorActs.record(request, KeyChangeTexts.isAnyMade(changes), KeyChangeTexts.record(changes));
        ApiException refusal = KeyChangeTexts.refusal(changes, action, settings);
        if (refusal != null) {
            throw refusal;
        }
        return new Views.KeyChanged(
                changes.size(),
                changes.stream()
                        .map(change -> KeyChangeTexts.did(action, change.before(), settings))
                        .collect(Collectors.joining(" ")));
    }

    private static TaskRef ref(String head) {
        return TaskRef.parse(head)
                .orElseThrow(() -> ApiException.parameter(
                        "head",
                        "The parameter head is not a reference of a task",
                        "Use the head of the key as GET shows it"));
    }
}
