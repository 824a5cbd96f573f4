package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.store.PausedTasks;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows queues and executors; pauses and resumes queues. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1")
final class QueuesController {

    record Executors(List<ExecutorInfo> executors) {}

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Administration administration;
    private final QueueReader reader;
    private final SharedDeadGroups dead;

    QueuesController(
            ConfiguredQueues queues,
            Inspection inspection,
            Administration administration,
            QueueReader reader,
            SharedDeadGroups dead) {
        this.queues = queues;
        this.inspection = inspection;
        this.administration = administration;
        this.reader = reader;
        this.dead = dead;
    }

    @GetMapping("/queues")
    Views.Queues all() {
        return new Views.Queues(withHalted(reader.all()).stream()
                .map(Views.Queue::withoutPartitions)
                .toList());
    }

    @GetMapping("/queues/{queue}")
    Views.Queue one(@PathVariable String queue) {
        return withHalted(List.of(reader.whole(queue))).get(0);
    }

    private List<Views.Queue> withHalted(List<Views.Queue> all) {
        Map<String, SharedDeadGroups.Halted> halting;
        try {
            halting = dead.halting(all);
        } catch (UnavailableException e) {
            return all; // The queues say so.
        }
        return all.stream()
                .map(queue -> queue.withHalted(halting.get(queue.name())))
                .toList();
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/pause")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed pause(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String key) {
        queues.get(queue);
        PausedTasks which = chosen(type, key);
        if (which.isEmpty()) {
            administration.pause(queue, true);
        } else if (!administration.pauseTasks(queue, which)) {
            throw ProblemType.TOO_MANY.refusal(
                    Sentence.of("problem.too-many-paused", PausedTasks.MAX, queue),
                    Sentence.of("remedy.too-many-paused"));
        }
        return new Views.Changed(1);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/queues/{queue}/resume")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed resume(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String key) {
        QueueSettings settings = queues.get(queue);
        PausedTasks which = chosen(type, key);
        if (which.isEmpty()) {
            administration.pause(queue, false);
        } else {
            administration.resumeTasks(queue, which, settings.handler());
        }
        return new Views.Changed(1);
    }

    /** Returns the tasks of a type or a key; none for the whole queue. */
    private static PausedTasks chosen(@Nullable String type, @Nullable String key) {
        if (type != null && key != null) {
            throw ApiException.parameter(
                    "key", Sentence.of("problem.type-and-key"), Sentence.of("remedy.type-and-key"));
        }
        if (type != null) {
            return PausedTasks.ofType(checked("type", type, TaskHeaders.MAX_TYPE));
        }
        return key != null ? PausedTasks.ofKey(checked("key", key, TaskHeaders.MAX_KEY)) : PausedTasks.NONE;
    }

    private static String checked(String what, String name, int maxBytes) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > maxBytes) {
            throw ApiException.parameter(
                    what,
                    Sentence.of("problem.name-length", what, bytes, maxBytes),
                    Sentence.of("remedy.name-length", what));
        }
        return name;
    }

    @GetMapping("/queues/{queue}/dedup-keys/{key}")
    DedupViews.DedupKey dedupKey(@PathVariable String queue, @PathVariable String key) {
        queues.get(queue);
        return inspection
                .dedupKey(queue, key)
                .map(info -> DedupViews.DedupKey.of(key, info))
                .orElseGet(() -> DedupViews.DedupKey.free(key));
    }

    @Needs(Permission.OPERATE)
    @DeleteMapping("/queues/{queue}/dedup-keys/{key}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed freeDedupKey(@PathVariable String queue, @PathVariable String key) {
        queues.get(queue);
        return new Views.Changed(administration.freeDedupKey(queue, key) ? 1 : 0);
    }

    @GetMapping("/queues/{queue}/growths")
    GrowthViews.Growths growths(@PathVariable String queue) {
        queues.get(queue);
        return GrowthViews.Growths.of(inspection.growths(queue));
    }

    @GetMapping("/executors")
    Executors executors() {
        return new Executors(inspection.executors());
    }
}
