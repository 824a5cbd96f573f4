package dev.tandem.runtime.schedules;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.DedupKeyView;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The tasks of earlier firings in Redis: looks whether one has ended, and cancels it. The id of such a task is its deduplication
 * key, of which something is known while it runs for the first time too, and of the one that ran if the firing was repeated and
 * there are two. Thread-safe; no method blocks.
 */
public final class EarlierTasks {

    /** The time that executors have to see a request. */
    private static final Executor AFTER_ANSWERS = CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS);

    private static final CompletionStage<Void> DONE = CompletableFuture.runAsync(() -> {}, Runnable::run);

    private final Inspector inspector;
    private final Admin admin;
    private final RunningTasks running;

    /** Uses a store, which is not closed here. */
    public EarlierTasks(RedisStore store) {
        this.inspector = store.inspector();
        this.admin = store.admin();
        this.running = store.runningTasks();
    }

    CompletionStage<TaskEnd> look(String queue, String id) {
        return bearer(queue, id)
                .thenCompose(bearer -> bearer.isPresent()
                        ? CompletableFuture.completedFuture(end(bearer.get().state()))
                        : inspector.tasks(queue, id, 1).thenApply(EarlierTasks::end));
    }

    private CompletionStage<Optional<DedupKeyView>> bearer(String queue, String id) {
        return inspector
                .dedupKey(queue, id)
                .thenApply(known -> known.filter(each -> each.id().equals(id)));
    }

    static TaskEnd end(DedupKeyView.Bearer bearer) {
        return switch (bearer) {
            case WAITS, BEGUN -> TaskEnd.ALIVE;
            case DONE, FAILED -> TaskEnd.ENDED;
        };
    }

    private static TaskEnd end(List<TaskView> found) {
        if (found.isEmpty()) {
            return TaskEnd.NOT_FOUND;
        }
        return found.get(0).state().isFinal() ? TaskEnd.ENDED : TaskEnd.ALIVE;
    }

    /** Cancels a task that waits, and asks all executors to interrupt one that runs. */
    CompletionStage<Void> cancel(String queue, String id) {
        return bearer(queue, id)
                .thenCompose(bearer -> bearer.isPresent()
                        ? cancel(bearer.get().partition(), bearer.get().position())
                        : inspector
                                .tasks(queue, id, 1)
                                .thenCompose(found -> found.isEmpty()
                                        ? interrupt(queue, id)
                                        : cancel(
                                                found.get(0).partition(),
                                                found.get(0).position())));
    }

    private CompletionStage<Void> cancel(Partition partition, Position position) {
        return admin.delete(partition, position, Admin.Deletion.WAITING)
                .thenCompose(result -> result == Admin.Result.DONE
                        ? DONE
                        : interrupt(partition.queue(), partition.name() + "/" + position.text()));
    }

    private CompletionStage<Void> interrupt(String queue, String task) {
        return running.cancel(queue, task)
                .thenCompose(request ->
                        CompletableFuture.runAsync(() -> {}, AFTER_ANSWERS).thenCompose(answered -> request.close()));
    }
}
