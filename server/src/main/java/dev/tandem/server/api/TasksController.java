package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.Deletion;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
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
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/tasks")
final class TasksController {

    private static final int MAX_LIMIT = 500;

    /** Values of the parameter {@code only}: what a change may take. */
    private static final String DEAD = "dead";

    private static final String NOT_HALTING = "dead-not-halting";
    private static final String WAITING = "waiting";

    /** The states of tasks that are kept in the store. */
    private static final Set<TaskState> LISTED_STATES = Set.of(
            TaskState.ACTIVE,
            TaskState.SCHEDULED,
            TaskState.RETRY,
            TaskState.PARKED,
            TaskState.DEAD,
            TaskState.SUCCEEDED,
            TaskState.EXPIRED,
            TaskState.CANCELLED);

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Administration administration;
    private final TaskLookup lookup;
    private final PayloadMasks masks;

    TasksController(
            ConfiguredQueues queues,
            Inspection inspection,
            Administration administration,
            TaskLookup lookup,
            PayloadMasks masks) {
        this.queues = queues;
        this.inspection = inspection;
        this.administration = administration;
        this.lookup = lookup;
        this.masks = masks;
    }

    @GetMapping
    Views.Tasks list(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        QueueSettings settings = queues.get(queue);
        if (partition != null && !Partition.isName(partition)) {
            throw ApiException.parameter(
                    "partition",
                    "The parameter partition is not the name of a partition",
                    "Use one that GET /api/v1/queues/" + queue + " lists, or leave it out for all");
        }
        TaskFilter filter = new TaskFilter(state == null ? null : state(state), partition, key, type);
        bounded(limit);
        try {
            return id == null
                    ? pages(queue, settings, filter, cursor, limit)
                    : new Views.Tasks(
                            filter.views(queue, settings, Pauses.of(inspection, queue), inspection.byId(queue, id)),
                            null,
                            null);
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_CURSOR.refusal(String.valueOf(e.getMessage()), "Start again without a cursor");
        }
    }

    private Views.Tasks pages(
            String queue, QueueSettings settings, TaskFilter filter, @Nullable String cursor, int limit) {
        Page<TaskInfo> page = inspection.tasks(
                queue, filter.state(), filter.partition(), cursor, limit, filter.chosen(queue, settings));
        return new Views.Tasks(
                filter.views(queue, settings, Pauses.of(inspection, queue), page.items()),
                page.next(),
                Views.partial(page));
    }

    @GetMapping("/{id}")
    Views.Task one(@PathVariable String queue, @PathVariable String id) {
        QueueSettings settings = queues.get(queue);
        return TaskViews.single(queue, settings, Pauses.of(inspection, queue), masks, lookup.findAnywhere(queue, id));
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{id}/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed retry(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String only) {
        queues.get(queue);
        if (only != null && !only.equals(DEAD)) {
            throw wrongOnly(only, DEAD);
        }
        TaskInfo task = lookup.find(queue, id);
        if (task.state().isFinal() && task.state() != TaskState.DEAD) {
            throw TaskLookup.ended(id, task);
        }
        check(administration.retry(queue, task.ref(), only != null), id, task);
        return new Views.Changed(1);
    }

    @Needs(Permission.OPERATE)
    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed delete(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String only) {
        queues.get(queue);
        Deletion which = deletion(only);
        TaskInfo task = lookup.find(queue, id);
        check(administration.delete(queue, task.ref(), which), id, task);
        return new Views.Changed(1, task.halts() ? task.key() : null);
    }

    private static Deletion deletion(@Nullable String only) {
        if (only == null) {
            return Deletion.ANY;
        }
        return switch (only) {
            case DEAD -> Deletion.DEAD;
            case NOT_HALTING -> Deletion.DEAD_NOT_HALTING;
            case WAITING -> Deletion.WAITING;
            default -> throw wrongOnly(only, DEAD + ", " + NOT_HALTING + " or " + WAITING);
        };
    }

    private static ApiException wrongOnly(String only, String allowed) {
        return ApiException.parameter(
                "only", "The parameter only is '" + only + "'", "Use " + allowed + ", or leave it out");
    }

    /** Refuses what was not done. @param seen the task just before */
    private static void check(Change change, String id, TaskInfo seen) {
        switch (change) {
            case DONE -> {}
            case RUNNING ->
                throw ProblemType.TASK_RUNNING.refusal(
                        "The task '" + id + "' is running", "Wait until its run has ended");
            case OTHER_STATE -> throw otherState(id, seen);
            case HALTS_KEY ->
                throw ProblemType.TASK_HALTS_KEY.refusal(
                        "The dead task '" + id + "' halts the key '" + seen.key() + "', which would go on without it",
                        "Retry, skip or drain the key, or delete the task with only=" + DEAD + " (--halting)");
            case WOULD_EXPIRE, NOT_FOUND, NOT_HALTED, IN_BROKER, OTHER_HEAD, DONE_IN_PART, UNKNOWN ->
                throw TaskLookup.notFound(id);
        }
    }

    private static ApiException otherState(String id, TaskInfo seen) {
        return seen.state() == TaskState.DEAD
                ? ProblemType.TASK_IN_OTHER_STATE.refusal(
                        "The task '" + id + "' is dead: there is nothing to cancel",
                        "Delete it with only=" + DEAD + " (./tandem dead delete)")
                : ProblemType.TASK_IN_OTHER_STATE.refusal(
                        "The task '" + id + "' is not dead: its state is " + Views.state(seen),
                        "Cancel it with only=" + WAITING + " (./tandem tasks cancel), or let it run");
    }

    private static TaskState state(String text) {
        for (TaskState state : LISTED_STATES) {
            if (Views.lower(state).equals(text.toLowerCase(Locale.ROOT))) {
                return state;
            }
        }
        Set<String> known = LISTED_STATES.stream().map(Views::lower).collect(Collectors.toCollection(TreeSet::new));
        throw ApiException.parameter(
                "state",
                "The parameter state is '" + text + "'",
                "Use one of " + String.join(", ", known) + ", or leave it out for all");
    }

    static int bounded(int limit) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw ApiException.parameter("limit", "The parameter limit is " + limit, "Use 1 to " + MAX_LIMIT);
        }
        return limit;
    }
}
