package dev.tandem.server.api;

import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.Deletion;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.task.TaskState;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Shows and changes tasks that no pull worker has, for workers: what an operator may do with one task. */
@RestController
@RequestMapping("/api/v1/queues/{queue}/pull")
final class PullTasksController {

    /** The most tasks of one request. Each is looked at, and changed, alone. */
    private static final int MOST = 50;

    private static final Set<TaskState> SHOWN =
            Set.of(TaskState.DEAD, TaskState.SCHEDULED, TaskState.RETRY, TaskState.PARKED);

    private final PullOrders orders;
    private final Inspection inspection;
    private final Administration administration;
    private final TaskLookup lookup;
    private final PayloadMasks masks;

    PullTasksController(
            PullOrders orders,
            Inspection inspection,
            Administration administration,
            TaskLookup lookup,
            PayloadMasks masks) {
        this.orders = orders;
        this.inspection = inspection;
        this.administration = administration;
        this.lookup = lookup;
        this.masks = masks;
    }

    @Needs(Permission.WORK)
    @GetMapping("/peek")
    Views.Tasks peek(
            @PathVariable String queue,
            @RequestParam(defaultValue = "dead") String state,
            @RequestParam(defaultValue = "1") int max) {
        QueueSettings settings = orders.leased(queue);
        TaskState shown = SHOWN.stream()
                .filter(each -> Views.lower(each).equals(state))
                .findFirst()
                .orElseThrow(() -> ApiException.parameter(
                        "state",
                        "The parameter state is '" + state + "'",
                        "Use one of "
                                + SHOWN.stream().map(Views::lower).sorted().collect(Collectors.joining(", "))
                                + ". Tasks that can start wait in their broker"));
        Pauses pauses = Pauses.of(inspection, queue, settings.handler());
        return new Views.Tasks(
                found(queue, shown, number(max)).stream()
                        .map(task -> TaskViews.single(queue, settings, pauses, masks, task))
                        .toList(),
                null,
                null);
    }

    private static int number(int max) {
        return PullBody.number("max", max, 1, MOST);
    }

    private List<TaskInfo> found(String queue, TaskState state, int max) {
        return inspection.tasks(queue, state, null, null, max, task -> true).items();
    }

    @Needs(Permission.WORK)
    @PostMapping("/kick")
    ResponseEntity<Views.Changed> kick(@PathVariable String queue, HttpServletRequest request) {
        orders.leased(queue);
        PullBody body = PullBody.read(RequestLimitFilter.takeBody(request), Set.of("id", "max"));
        String id = body.id();
        if (id != null) {
            return ResponseEntity.accepted().body(new Views.Changed(kick(queue, id)));
        }
        int changed = 0;
        for (TaskInfo dead : found(queue, TaskState.DEAD, PullBody.number("max", body.max(), 1, MOST))) {
            changed += administration.retry(queue, dead.ref(), true) == Change.DONE ? 1 : 0;
        }
        if (changed == 0) {
            AuditInterceptor.leaveOut(request);
        }
        AuditInterceptor.record(request, changed > 0, changed + " dead tasks");
        return ResponseEntity.accepted().body(new Views.Changed(changed));
    }

    private int kick(String queue, String id) {
        TaskInfo task = lookup.find(queue, id);
        if (task.state().isFinal() && task.state() != TaskState.DEAD) {
            throw TaskLookup.ended(id, task);
        }
        check(administration.retry(queue, task.ref(), false), id);
        return 1;
    }

    private static void check(Change change, String id) {
        if (change == Change.RUNNING) {
            throw ProblemType.TASK_RUNNING.refusal("The task '" + id + "' is running", "Wait until its run has ended");
        } else if (change != Change.DONE) {
            throw TaskLookup.notFound(id);
        }
    }

    /** Removes tasks for good: those that the worker has, or one that nobody has. */
    @Needs(Permission.WORK)
    @PostMapping("/discard")
    DeferredResult<ResponseEntity<Object>> discard(@PathVariable String queue, HttpServletRequest request) {
        orders.leased(queue);
        PullBody body = PullBody.read(RequestLimitFilter.takeBody(request), Set.of("lease", "leases", "id"));
        String id = body.id();
        if (id == null) {
            AuditInterceptor.leaveOut(request);
            return orders.apply(queue, request, body, each -> new LeaseRequest.Discard());
        }
        if (body.lease() != null) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/id",
                    "There are both a lease and an id",
                    "Send the lease of a task that you have");
        }
        TaskInfo task = lookup.find(queue, id);
        check(administration.delete(queue, task.ref(), Deletion.ANY), id);
        @Nullable String opened = task.halts() ? task.key() : null;
        DeferredResult<ResponseEntity<Object>> answer = new DeferredResult<>();
        answer.setResult(ResponseEntity.accepted().body(new Views.Changed(1, opened)));
        return answer;
    }
}
