package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
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

/** Shows blocked keys, and lets operators decide what becomes of their heads. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/keys")
final class KeysController {

    private final ConfiguredQueues queues;
    private final Administration administration;
    private final KeyReader reader;
    private final TimelineReader timelines;

    KeysController(ConfiguredQueues queues, Administration administration, KeyReader reader, TimelineReader timelines) {
        this.queues = queues;
        this.administration = administration;
        this.reader = reader;
        this.timelines = timelines;
    }

    @GetMapping
    Views.Keys list(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        return reader.list(queue, cursor, limit);
    }

    @GetMapping("/{key}")
    Views.Key one(@PathVariable String queue, @PathVariable String key) {
        return reader.one(queue, key);
    }

    @GetMapping("/{key}/timeline")
    KeyTimeline timeline(
            @PathVariable String queue,
            @PathVariable String key,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable Long before) {
        return timelines.read(queue, key, partition, before);
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
                    Sentence.of("problem.not-blocked", key), Sentence.of("remedy.not-blocked"));
        }
        AuditInterceptor.record(request, KeyChangeTexts.isAnyMade(changes), KeyChangeTexts.record(changes));
        ApiException refusal = KeyChangeTexts.refusal(changes, action, settings);
        if (refusal != null) {
            throw refusal;
        }
        return new Views.KeyChanged(
                changes.size(),
                Sentence.inARow(changes.stream().map(change -> KeyChangeTexts.did(action, change.before(), settings))));
    }

    private static TaskRef ref(String head) {
        return TaskRef.parse(head)
                .orElseThrow(
                        () -> ApiException.parameter("head", Sentence.of("problem.head"), Sentence.of("remedy.head")));
    }
}
