package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.task.Envelope;
import dev.tandem.task.PlatformHeaders;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.Registration.Registrant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds tasks of a queue in the memory of this process, and cancels those that run, for people. Thread-safe. */
final class HeldTasks {

    private static final byte[] NO_PAYLOAD = {};

    private static final String TURN = "a free slot";
    private static final String TURN_OF_KEY = "earlier tasks of its key, or a free slot";

    private final QueueSpec spec;
    private final String executor;
    private final LoopInbox inbox;
    /** Used by the loop's thread only. */
    private final QueueCore core;

    private final WorkerPool workers;
    private final Gates gates;

    HeldTasks(QueueSpec spec, String executor, LoopInbox inbox, QueueCore core, WorkerPool workers, Gates gates) {
        this.spec = spec;
        this.executor = executor;
        this.inbox = inbox;
        this.core = core;
        this.workers = workers;
        this.gates = gates;
    }

    /** Cancels the runs of a task that handlers work on here. @return what {@link WorkerPool#cancel} returns */
    List<String> cancel(String id) {
        return workers.cancel(id);
    }

    /**
     * Finds tasks with an id, as of the loop's next turn.
     *
     * @param id the id that their handlers see, or their place: partition, slash, position
     * @return never completes if the loop has ended or hangs
     */
    CompletableFuture<List<HeldTask>> find(String id) {
        CompletableFuture<List<HeldTask>> found = new CompletableFuture<>();
        inbox.post(() -> found.complete(now(id)));
        return found;
    }

    /** Describes what the core holds, as of the loop's next turn. @return as {@link #find} */
    CompletableFuture<String> describe() {
        CompletableFuture<String> description = new CompletableFuture<>();
        inbox.post(() -> description.complete(core.toString()));
        return description;
    }

    private List<HeldTask> now(String id) {
        Map<TaskPlace, HeldTask> found = new LinkedHashMap<>();
        workers.running().forEach(run -> add(found, id, run, null));
        gates.eachWaiting((run, reason) -> add(found, id, run, reason));
        core.pending()
                .filter(each -> isNamed(id, each.task(), each.place()))
                .forEach(each -> found.computeIfAbsent(
                        each.place(), place -> held(place, each.task(), each.attempts(), false, turn(each.task()))));
        List<HeldTask> all = new ArrayList<>(found.values());
        return all.subList(0, Math.min(all.size(), Registrant.MOST_FOUND));
    }

    private void add(Map<TaskPlace, HeldTask> found, String id, Run run, @Nullable String waitsFor) {
        if (isNamed(id, run.task(), run.place())) {
            TaskPlace place = run.place();
            found.put(place, held(place, run.task(), run.attempt() - 1, waitsFor == null, waitsFor));
        }
    }

    private boolean isNamed(String id, Task task, TaskPlace place) {
        return id.equals(spec.idOf(task, place))
                || id.equals(place.partition().name() + "/" + place.position().text());
    }

    private String turn(Task task) {
        return task.key() != null && spec.policy().ordered() ? TURN_OF_KEY : TURN;
    }

    private HeldTask held(TaskPlace place, Task task, int attempts, boolean running, @Nullable String waitsFor) {
        Task shown = task.withPayload(NO_PAYLOAD).withHeaders(PlatformHeaders.without(task.headers()));
        return new HeldTask(place, executor, new Envelope(shown, attempts, 0, null), running, waitsFor);
    }
}
