package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.Deletion;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskState;
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

    /** Values of the parameter {@code only}: what a change may take. */
    private static final String DEAD = "dead";

    private static final String NOT_HALTING = "dead-not-halting";
    private static final String WAITING = "waiting";

    private final ConfiguredQueues queues;
    private final Administration administration;
    private final TaskLookup lookup;
    private final TaskReader reader;

    TasksController(ConfiguredQueues queues, Administration administration, TaskLookup lookup, TaskReader reader) {
        this.queues = queues;
        this.administration = administration;
        this.lookup = lookup;
        this.reader = reader;
    }

    @GetMapping
    Views.Tasks list(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String fingerprint,
            @RequestParam(name = "died-after", required = false) @Nullable String diedAfter,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(defaultValue = "50") int limit) {
        TaskReader.Choice choice = new TaskReader.Choice(state, partition, key, type, id, fingerprint, diedAfter);
        return reader.list(queue, choice, cursor, limit);
    }

    @GetMapping("/{id}")
    Views.Task one(@PathVariable String queue, @PathVariable String id) {
        return reader.one(queue, id);
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
                "only", Sentence.of("problem.only", only), Sentence.of("remedy.use-or-leave-out", allowed));
    }

    /** Refuses what was not done. @param seen the task just before */
    private static void check(Change change, String id, TaskInfo seen) {
        switch (change) {
            case DONE -> {}
            case RUNNING ->
                throw ProblemType.TASK_RUNNING.refusal(
                        Sentence.of("problem.running", id), Sentence.of("remedy.wait-for-run"));
            case OTHER_STATE -> throw otherState(id, seen);
            case HALTS_KEY ->
                throw ProblemType.TASK_HALTS_KEY.refusal(
                        Sentence.of("problem.halts-key", id, String.valueOf(seen.key())),
                        Sentence.of("remedy.halts-key", DEAD));
            case WOULD_EXPIRE, NOT_FOUND, NOT_HALTED, IN_BROKER, OTHER_HEAD, DONE_IN_PART, UNKNOWN ->
                throw TaskLookup.notFound(id);
        }
    }

    private static ApiException otherState(String id, TaskInfo seen) {
        return seen.state() == TaskState.DEAD
                ? ProblemType.TASK_IN_OTHER_STATE.refusal(
                        Sentence.of("problem.dead-not-cancelled", id), Sentence.of("remedy.delete-dead-only", DEAD))
                : ProblemType.TASK_IN_OTHER_STATE.refusal(
                        Sentence.of("problem.not-dead", id, Views.state(seen)),
                        Sentence.of("remedy.not-dead", WAITING));
    }
}
