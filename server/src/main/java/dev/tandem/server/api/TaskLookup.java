package dev.tandem.server.api;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the one task that a request names, or says why there is none. Thread-safe. */
final class TaskLookup {

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

    /** Returns the task with this id or reference; empty if the store has none. @throws ApiException if several have the id */
    Optional<TaskInfo> maybe(String queue, String id) {
        Optional<TaskRef> ref = TaskRef.parse(id);
        return ref.isPresent() ? inspection.task(queue, ref.get()) : byId(queue, id);
    }

    private Optional<TaskInfo> byId(String queue, String id) {
        List<TaskInfo> found = inspection.byId(queue, id);
        if (found.size() > 1) {
            throw ApiException.conflict(
                    "Several tasks have the id '" + id + "'",
                    "Name one by its ref: "
                            + found.stream().map(task -> task.ref().toString()).collect(Collectors.joining(", ")));
        }
        return found.stream().findFirst();
    }

    /** Says also whether tasks wait in the broker, and why. The broker tells how many, not which. */
    ApiException notFound(String queue, String id) {
        long lag = backlog.of(queue).values().stream().mapToLong(each -> each).sum();
        if (lag == 0) {
            return notFound(id);
        }
        boolean paused = inspection.isPaused(queue);
        return ApiException.notFound(
                "Redis holds no task '" + id + "'",
                "It may be among the " + lag + (lag == 1 ? " message" : " messages")
                        + " not settled in the broker (LAG "
                        + lag + ")" + (paused ? ", since the queue is paused (./tandem resume " + queue + ")" : "")
                        + ", or it succeeded longer ago than tandem.history keeps");
    }

    static ApiException notFound(String id) {
        return ApiException.notFound(
                "Redis holds no task '" + id + "'",
                "It may wait in its broker, or it succeeded longer ago than tandem.history keeps");
    }

    /** Says how a task ended, so that it cannot be changed. */
    static ApiException ended(String id, TaskInfo task) {
        String how = switch (task.state()) {
            case EXPIRED -> " has expired";
            case CANCELLED -> " was cancelled";
            default -> " has succeeded";
        };
        return ApiException.conflict("The task '" + id + "'" + how, "Publish it again to run it again");
    }
}
