package dev.tandem.server.api;

import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldQuestion;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /**
     * Whether the owner of a task that waits for its time has been given it already, and will start it. Asks the owner, and waits a
     * second at most.
     */
    boolean isHeld(String queue, TaskInfo task) {
        if (task.state() != TaskState.SCHEDULED && task.state() != TaskState.RETRY) {
            return false;
        }
        TaskRef ref = task.ref();
        HeldQuestion question = new HeldQuestion(ref.partition(), HeldQuestion.Kind.GIVEN, ref.position());
        return inspection.held(queue, question, Set.of()).hasAny();
    }

    private Optional<TaskInfo> byId(String queue, String id) {
        return one(id, inspection.byId(queue, id));
    }

    private static Optional<TaskInfo> one(String id, List<TaskInfo> found) {
        if (found.size() > 1) {
            throw ProblemType.AMBIGUOUS_ID.refusal(
                    Sentence.of("problem.ambiguous-id", id),
                    Sentence.of(
                            "remedy.ambiguous-id",
                            found.stream().map(task -> task.ref().toString()).collect(Collectors.joining(", "))));
        }
        return found.stream().findFirst();
    }

    /** Says also whether tasks wait in the broker, and why. The broker tells how many, not which. */
    ApiException notFound(String queue, String id) {
        return missing(Sentence.of("problem.no-task", id), queue);
    }

    private ApiException nowhere(String queue, String id) {
        return missing(Sentence.of("problem.no-task-anywhere", id), queue);
    }

    private ApiException missing(Sentence what, String queue) {
        long lag = backlog.of(queue).values().stream().mapToLong(each -> each).sum();
        Sentence paused =
                lag > 0 && inspection.isPaused(queue) ? Sentence.of("lookup.paused", queue) : Sentence.NOTHING;
        Sentence inBroker = lag == 0
                ? Sentence.of("lookup.on-its-way")
                : lag == 1 ? Sentence.of("lookup.among-one", paused) : Sentence.of("lookup.among", lag, paused);
        return unknown(what, inBroker);
    }

    private static ApiException unknown(Sentence what, Sentence where) {
        return ProblemType.UNKNOWN_TASK.refusal(what, Sentence.of("remedy.task-somewhere", where));
    }

    static ApiException notFound(String id) {
        return unknown(Sentence.of("problem.no-task", id), Sentence.of("lookup.in-broker"));
    }

    /** Says how a task ended, so that it cannot be changed. */
    static ApiException ended(String id, TaskInfo task) {
        String how = switch (task.state()) {
            case EXPIRED -> "problem.has-expired";
            case CANCELLED -> "problem.was-cancelled";
            default -> "problem.has-succeeded";
        };
        return ProblemType.TASK_ENDED.refusal(Sentence.of(how, id), Sentence.of("remedy.publish-again"));
    }
}
