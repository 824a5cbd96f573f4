package dev.tandem.executor;

import dev.tandem.ordering.CancelledTask;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TaskFilter;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Cancels tasks of a queue that run in this process or wait in its memory. Thread-safe. */
final class TaskCancels {

    private final QueueSpec spec;
    private final QueueCore core;
    private final LoopInbox inbox;
    private final Supplier<WorkerPool> workers;

    TaskCancels(QueueSpec spec, QueueCore core, LoopInbox inbox, Supplier<WorkerPool> workers) {
        this.spec = spec;
        this.core = core;
        this.inbox = inbox;
        this.workers = workers;
    }

    /**
     * Cancels the tasks that are meant by an id: interrupts handlers that run them, and ends those that wait without a run.
     *
     * @param id the id that handlers see, or a place: partition, slash, position
     * @return the places of those that were found. It never completes if the loop has ended or hangs
     */
    CompletionStage<List<String>> cancel(String id) {
        List<String> running = workers.get().cancel(id);
        if (!running.isEmpty()) {
            return CompletableFuture.completedFuture(running);
        }
        CompletableFuture<List<String>> found = new CompletableFuture<>();
        inbox.post(() -> found.complete(cancelHere(id)));
        return found;
    }

    private List<String> cancelHere(String id) {
        List<String> places = new ArrayList<>();
        Set<Run> runs = new HashSet<>();
        for (CancelledTask task : core.cancel(filter(id))) {
            places.add(task.partition().name() + "/" + task.position());
            if (task.run() != null) {
                runs.add(task.run());
            }
        }
        if (!runs.isEmpty()) {
            // A worker puts its attempt into its slot before it looks whether the run is cancelled. So one of us sees
            // the other.
            workers.get().cancel(runs);
        }
        return places;
    }

    private TaskFilter filter(String id) {
        String topic = spec.parts().topic() + ":";
        boolean mayBeMade = id.startsWith(topic);
        return (partition, position, task) -> {
            String given = task.id();
            boolean named = given == null ? mayBeMade && id.equals(made(partition, position, task)) : given.equals(id);
            return named || isPlace(id, partition.name(), position.text());
        };
    }

    private String made(Partition partition, Position position, Task task) {
        return TaskIds.idOf(
                task,
                partition,
                position,
                spec.parts().topic(),
                spec.parts().source().kind());
    }

    private static boolean isPlace(String id, String partition, String position) {
        return id.length() == partition.length() + 1 + position.length()
                && id.charAt(partition.length()) == '/'
                && id.startsWith(partition)
                && id.endsWith(position);
    }
}
