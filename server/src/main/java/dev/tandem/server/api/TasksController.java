package dev.tandem.server.api;

import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.settings.QueueSettings;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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

/** Shows, retries and deletes tasks in the store. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/tasks")
final class TasksController {

    private static final int MAX_LIMIT = 500;

    /** The states of tasks that are kept in the store. */
    private static final Set<TaskState> LISTED_STATES = Set.of(
            TaskState.ACTIVE,
            TaskState.SCHEDULED,
            TaskState.RETRY,
            TaskState.PARKED,
            TaskState.DEAD,
            TaskState.SUCCEEDED);

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Administration administration;

    TasksController(ConfiguredQueues queues, Inspection inspection, Administration administration) {
        this.queues = queues;
        this.inspection = inspection;
        this.administration = administration;
    }

    @GetMapping
    Views.Tasks list(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        QueueSettings settings = queues.get(queue);
        if (partition != null && !Partition.isName(partition)) {
            throw ApiException.badRequest(
                    "The parameter partition is not the name of a partition",
                    "Use one that GET /api/v1/queues/" + queue + " lists, or leave it out for all");
        }
        try {
            Page<TaskInfo> page = inspection.tasks(queue, state(state), partition, cursor, bounded(limit));
            return new Views.Tasks(
                    page.items().stream()
                            .map(task -> TaskViews.inList(queue, settings, task))
                            .toList(),
                    page.next());
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()), "Start again without a cursor");
        }
    }

    @GetMapping("/{id}")
    Views.Task one(@PathVariable String queue, @PathVariable String id) {
        QueueSettings settings = queues.get(queue);
        return TaskViews.single(queue, settings, find(queue, id));
    }

    @PostMapping("/{id}/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed retry(@PathVariable String queue, @PathVariable String id) {
        queues.get(queue);
        TaskInfo task = find(queue, id);
        if (task.state() == TaskState.SUCCEEDED) {
            throw ApiException.conflict("The task '" + id + "' has succeeded", "Publish it again to run it again");
        }
        return changed(administration.retry(queue, task.ref()), id);
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed delete(@PathVariable String queue, @PathVariable String id) {
        queues.get(queue);
        return changed(administration.delete(queue, find(queue, id).ref()), id);
    }

    private static Views.Changed changed(Change change, String id) {
        return switch (change) {
            case DONE -> new Views.Changed(1);
            case NOT_FOUND -> throw notFound(id);
            case RUNNING ->
                throw ApiException.conflict("The task '" + id + "' is running", "Wait until its run has ended");
        };
    }

    private TaskInfo find(String queue, String id) {
        TaskRef ref = TaskRef.parse(id).orElse(null);
        if (ref != null) {
            return inspection.task(queue, ref).orElseThrow(() -> notFound(id));
        }
        List<TaskInfo> found = inspection.byId(queue, id);
        if (found.isEmpty()) {
            throw notFound(id);
        }
        if (found.size() > 1) {
            throw ApiException.conflict(
                    "Several tasks have the id '" + id + "'",
                    "Name one by its ref: "
                            + found.stream().map(task -> task.ref().toString()).collect(Collectors.joining(", ")));
        }
        return found.get(0);
    }

    private static ApiException notFound(String id) {
        return ApiException.notFound(
                "Redis holds no task '" + id + "'",
                "It may wait in its broker, or it succeeded longer ago than tandem.history keeps");
    }

    private static TaskState state(@Nullable String text) {
        for (TaskState state : LISTED_STATES) {
            if (Views.lower(state).equals(text == null ? null : text.toLowerCase(Locale.ROOT))) {
                return state;
            }
        }
        Set<String> known = LISTED_STATES.stream().map(Views::lower).collect(Collectors.toCollection(TreeSet::new));
        throw ApiException.badRequest(
                text == null ? "The parameter state is missing" : "The parameter state is '" + text + "'",
                "Use one of " + String.join(", ", known));
    }

    static int bounded(int limit) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw ApiException.badRequest("The parameter limit is " + limit, "Use 1 to " + MAX_LIMIT);
        }
        return limit;
    }
}
