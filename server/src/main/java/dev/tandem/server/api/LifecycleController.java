package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Cancellation;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Cancels tasks wherever they are, and gives them other times. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/tasks/{id}")
final class LifecycleController {

    private final ConfiguredQueues queues;
    private final Administration administration;
    private final TaskLookup lookup;
    private final InstantSource clock;

    LifecycleController(
            ConfiguredQueues queues, Administration administration, TaskLookup lookup, InstantSource clock) {
        this.queues = queues;
        this.administration = administration;
        this.lookup = lookup;
        this.clock = clock;
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/cancel")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Cancelled cancel(@PathVariable String queue, @PathVariable String id) {
        queues.get(queue);
        Optional<TaskInfo> seen = lookup.maybe(queue, id);
        TaskRef ref = seen.map(TaskInfo::ref).orElseGet(() -> TaskRef.parse(id).orElse(null));
        Cancellation cancellation = administration.cancel(queue, ref, id);
        TaskInfo task = cancellation.task();
        return switch (cancellation.result()) {
            case CANCELLED -> new Views.Cancelled(1, Views.lower(TaskState.CANCELLED));
            case INTERRUPTED -> new Views.Cancelled(1, "interrupted");
            case ENDED -> throw ended(id, task);
            case NOT_INTERRUPTED ->
                throw ProblemType.TASK_RUNNING.refusal(
                        "The task '" + id + "' is claimed" + by(task) + ", but no executor could interrupt it",
                        "Its executor does not answer, or the task has just begun: try again");
            case NOT_FOUND ->
                throw ProblemType.UNKNOWN_TASK.refusal(
                        "Redis holds no task '" + id + "', and no executor has it",
                        "A task that still waits in its broker cannot be cancelled: cancel it once an executor has fetched"
                                + " it, or give it a time to live (tandem-ttl)");
        };
    }

    private static ApiException ended(String id, @Nullable TaskInfo task) {
        if (task == null || task.state() != TaskState.DEAD) {
            return task == null ? TaskLookup.notFound(id) : TaskLookup.ended(id, task);
        }
        return ProblemType.TASK_IN_OTHER_STATE.refusal(
                "The task '" + id + "' is dead: there is nothing to cancel",
                "Delete it with ./tandem dead delete, or DELETE with only=dead");
    }

    private static String by(@Nullable TaskInfo task) {
        return task == null || task.executor() == null ? "" : " by " + task.executor();
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/reschedule")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Rescheduled reschedule(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String at,
            @RequestParam(required = false) @Nullable String delay) {
        queues.get(queue);
        Instant due = due(queue, at, delay);
        TaskInfo task = lookup.find(queue, id);
        Change change = administration.reschedule(queue, task.ref(), due);
        switch (change) {
            case DONE -> {}
            case RUNNING ->
                throw ProblemType.TASK_RUNNING.refusal(
                        "The task '" + id + "' is running, or due and about to start", "Cancel it, or let it run");
            case OTHER_STATE -> throw otherState(id, task);
            case WOULD_EXPIRE ->
                throw ProblemType.TASK_WOULD_EXPIRE.refusal(
                        "The task '" + id + "' expires before " + due, "Choose an earlier time, or cancel it");
            default ->
                throw ProblemType.TASK_IN_OTHER_STATE.refusal(
                        "The task '" + id + "' has changed since it was looked at", "Look at it, and try again");
        }
        return new Views.Rescheduled(1, due);
    }

    private static ApiException otherState(String id, TaskInfo task) {
        return switch (task.state()) {
            case PARKED ->
                ProblemType.TASK_IN_OTHER_STATE.refusal(
                        "The task '" + id + "' is parked behind " + task.head() + ", the head of its key: with another"
                                + " time it would leave its order",
                        "Cancel it, or change the head: ./tandem keys");
            case DEAD ->
                ProblemType.TASK_IN_OTHER_STATE.refusal(
                        "The task '" + id + "' is dead", "Retry it: ./tandem dead retry");
            default -> TaskLookup.ended(id, task);
        };
    }

    /** Reads the time like those of a message. */
    private Instant due(String queue, @Nullable String at, @Nullable String delay) {
        if ((at == null) == (delay == null)) {
            throw ApiException.parameter("delay", "There must be one of at and delay", "Use delay=0 for now");
        }
        GivenDelay.refuseNegative(delay);
        long now = clock.millis();
        List<Field> fields = new ArrayList<>();
        fields.add(
                at == null ? Field.of(TaskHeaders.DELAY, String.valueOf(delay)) : Field.of(TaskHeaders.NOT_BEFORE, at));
        TaskHeaders.Read read = new TaskHeaders(queue, TaskHeaders.Binding.KAFKA, 1)
                .read(fields, new TaskHeaders.Origin(null, null, null, null, now, now), null);
        if (read.unreadable() != null) {
            throw ApiException.parameter(
                    at == null ? "delay" : "at", "The time is wrong: " + read.unreadable(), "See docs/protocol.md");
        }
        return Instant.ofEpochMilli(Math.max(now, read.task().notBefore()));
    }
}
