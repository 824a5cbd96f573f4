package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Cancellation;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskState;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
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
    private final Duration lease;
    private final InstantSource clock;

    /** @param lease how long a task that an owner was given seems to be due later, at most */
    LifecycleController(
            ConfiguredQueues queues,
            Administration administration,
            TaskLookup lookup,
            Duration lease,
            InstantSource clock) {
        this.queues = queues;
        this.administration = administration;
        this.lookup = lookup;
        this.lease = lease;
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
                        task == null || task.executor() == null
                                ? Sentence.of("problem.claimed", id)
                                : Sentence.of("problem.claimed-by", id, task.executor()),
                        Sentence.of("remedy.not-interrupted"));
            case NOT_FOUND ->
                throw ProblemType.UNKNOWN_TASK.refusal(
                        Sentence.of("problem.no-task-no-executor", id), Sentence.of("remedy.cancel-in-broker"));
        };
    }

    private static ApiException ended(String id, @Nullable TaskInfo task) {
        if (task == null || task.state() != TaskState.DEAD) {
            return task == null ? TaskLookup.notFound(id) : TaskLookup.ended(id, task);
        }
        return ProblemType.TASK_IN_OTHER_STATE.refusal(
                Sentence.of("problem.dead-not-cancelled", id), Sentence.of("remedy.delete-dead"));
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/reschedule")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Rescheduled reschedule(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String at,
            @RequestParam(required = false) @Nullable String delay,
            @RequestParam(required = false) @Nullable Integer attempts,
            HttpServletRequest request) {
        AuditInterceptor.reads(request);
        queues.get(queue);
        Instant due = due(queue, at, delay);
        TaskInfo task = lookup.find(queue, id);
        boolean isSoon = task.at() != null && !task.at().isAfter(clock.instant().plus(lease.multipliedBy(2)));
        boolean isHeld = isSoon && lookup.isHeld(queue, task);
        AuditInterceptor.mayChange(request);
        Change change = isHeld ? Change.RUNNING : administration.reschedule(queue, task.ref(), due, attempts);
        switch (change) {
            case DONE -> {}
            case RUNNING ->
                throw ProblemType.TASK_RUNNING.refusal(
                        Sentence.of("problem.running-or-due", id), Sentence.of("remedy.cancel-or-let-run"));
            case OTHER_STATE -> throw otherState(id, task);
            case WOULD_EXPIRE ->
                throw ProblemType.TASK_WOULD_EXPIRE.refusal(
                        Sentence.of("problem.would-expire", id, due), Sentence.of("remedy.would-expire"));
            default ->
                throw ProblemType.TASK_IN_OTHER_STATE.refusal(
                        Sentence.of("problem.task-changed", id), Sentence.of("remedy.look-and-try"));
        }
        return new Views.Rescheduled(1, due);
    }

    private static ApiException otherState(String id, TaskInfo task) {
        return switch (task.state()) {
            case PARKED ->
                ProblemType.TASK_IN_OTHER_STATE.refusal(
                        Sentence.of("problem.parked-behind", id, String.valueOf(task.head())),
                        Sentence.of("remedy.parked-behind"));
            case DEAD ->
                ProblemType.TASK_IN_OTHER_STATE.refusal(
                        Sentence.of("problem.is-dead", id), Sentence.of("remedy.retry-dead"));
            default -> TaskLookup.ended(id, task);
        };
    }

    /** Reads the time like those of a message. */
    private Instant due(String queue, @Nullable String at, @Nullable String delay) {
        if ((at == null) == (delay == null)) {
            throw ApiException.parameter("delay", Sentence.of("problem.at-or-delay"), Sentence.of("remedy.delay-zero"));
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
                    at == null ? "delay" : "at",
                    Sentence.of("problem.wrong-time", String.valueOf(read.unreadable())),
                    Sentence.of("remedy.protocol"));
        }
        return Instant.ofEpochMilli(Math.max(now, read.task().notBefore()));
    }
}
