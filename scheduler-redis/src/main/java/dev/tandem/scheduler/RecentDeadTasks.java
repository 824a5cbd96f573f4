package dev.tandem.scheduler;

import dev.tandem.task.TaskState;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists the dead tasks of a queue that died since a time. Redis reads none that died earlier, so only those
 * that are listed or searched count for the budget. Thread-safe.
 */
public final class RecentDeadTasks {

    private final Inspector inspector;

    public RecentDeadTasks(Inspector inspector) {
        this.inspector = inspector;
    }

    /**
     * Lists the tasks, one partition after the other; else as {@link Inspector} lists those in one state.
     *
     * @param partition the name of the only partition; null for all
     * @param sinceMillis the time, by Redis's clock
     * @param chosen looks for such tasks until there are enough, or have come to a MiB, or the budget is spent; null for all
     * @throws IllegalArgumentException if the limit or the cursor is not allowed
     */
    public CompletableFuture<ResultPage<TaskView>> page(
            String queue,
            @Nullable String partition,
            long sinceMillis,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        Inspector.requireLimit(limit);
        TaskCursor.decode(TaskState.DEAD, QueueCursor.parse(cursor).inner());
        PartitionPages.Lister<TaskView> recent =
                (each, inner, most) -> inspector.deadSince(each, sinceMillis, inner, most);
        return inspector
                .partitions(queue, partition)
                .thenCompose(partitions -> PartitionPages.collect(
                        partitions,
                        cursor,
                        limit,
                        budget,
                        chosen == null ? recent : new ChosenPages(recent, chosen, budget)));
    }
}
