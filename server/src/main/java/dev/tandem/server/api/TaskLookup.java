package dev.tandem.server.api;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the one task that a request names, or says why there is none. Thread-safe. */
final class TaskLookup {

    private static final String NOT_THERE =
            ", or it was not published to this queue, or it ended longer ago than tandem.history keeps";

    private final Inspection inspection;
    private final Backlog backlog;

    TaskLookup(Inspection inspection, Backlog backlog) {
        this.inspection = inspection;
        this.backlog = backlog;
    }

    /**
     * Returns the task with this id or reference.
     *
     * @throws ApiException if there is none, or several have the id
     */
    TaskInfo find(String queue, String id) {
        TaskRef ref = TaskRef.parse(id).orElse(null);
        if (ref != null) {
            return inspection.task(queue, ref).orElseThrow(() -> notFound(queue, id));
        }
        return byId(queue, id).orElseThrow(() -> notFound(queue, id));
    }

    /**
     * Returns the task with this id or reference, also if only an executor has it.
     *
     * @throws ApiException if there is none, or several have the id
     */
    TaskInfo findAnywhere(String queue, String id) {
        TaskInfo stored = maybe(queue, id).orElse(null);
        if (stored != null && stored.state() != TaskState.ACTIVE) {
            return stored;
        }
        TaskRef ref = stored == null ? TaskRef.parse(id).orElse(null) : stored.ref();
        List<TaskInfo> held = inspection.inExecutors(queue, ref == null ? id : ref.partition() + "/" + ref.position());
        if (stored != null) {
            return held.isEmpty() ? stored : held.get(0);
        }
        return one(id, held).orElseThrow(() -> nowhere(queue, id));
    }

    /** Returns the task with this id or reference; empty if the store has none. @throws ApiException if several have the id */
    Optional<TaskInfo> maybe(String queue, String id) {
        Optional<TaskRef> ref = TaskRef.parse(id);
        return ref.isPresent() ? inspection.task(queue, ref.get()) : byId(queue, id);
    }

    private Optional<TaskInfo> byId(String queue, String id) {
        return one(id, inspection.byId(queue, id));
    }

    private static Optional<TaskInfo> one(String id, List<TaskInfo> found) {
        if (found.size() > 1) {
            throw ProblemType.AMBIGUOUS_ID.refusal(
                    "Several tasks have the id '" + id + "'",
                    "Name one by its ref: "
                            + found.stream().map(task -> task.ref().toString()).collect(Collectors.joining(", ")));
        }
        return found.stream().findFirst();
    }

    /** Says also whether tasks wait in the broker, and why. The broker tells how many, not which. */
    ApiException notFound(String queue, String id) {
        return missing("Redis holds no task '" + id + "'", queue);
    }

    private ApiException nowhere(String queue, String id) {
        return missing("Redis holds no task '" + id + "', and no executor that answered has it", queue);
    }

    private ApiException missing(String what, String queue) {
        long lag = backlog.of(queue).values().stream().mapToLong(each -> each).sum();
        String paused = lag > 0 && inspection.isPaused(queue)
                ? ", since the queue is paused (./tandem resume " + queue + ")"
                : "";
        String inBroker = lag == 0
                ? "It may be on its way from the broker"
                : "It may be among the " + lag + (lag == 1 ? " message" : " messages")
                        + " not settled in the broker (LAG " + lag + ")" + paused;
        return ProblemType.UNKNOWN_TASK.refusal(what, inBroker + NOT_THERE);
    }

    static ApiException notFound(String id) {
        return ProblemType.UNKNOWN_TASK.refusal(
                "Redis holds no task '" + id + "'", "It may wait in its broker" + NOT_THERE);
    }

    /** Says how a task ended, so that it cannot be changed. */
    static ApiException ended(String id, TaskInfo task) {
        String how = switch (task.state()) {
            case EXPIRED -> " has expired";
            case CANCELLED -> " was cancelled";
            default -> " has succeeded";
        };
        return ProblemType.TASK_ENDED.refusal("The task '" + id + "'" + how, "Publish it again to run it again");
    }
}
