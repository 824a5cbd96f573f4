package dev.tandem.scheduler;

import dev.tandem.task.TaskState;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists the dead tasks of a queue that died since a time. Each partition has the latest first, so of those that died earlier
 * it reads one page of a partition at most. Thread-safe.
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
        PartitionPages.Lister<TaskView> recent = (each, inner, most) ->
                inspector.stored(each, TaskState.DEAD, inner, most).thenApply(page -> since(sinceMillis, page));
        return inspector
                .partitions(queue, partition)
                .thenCompose(partitions -> PartitionPages.collect(
                        partitions,
                        cursor,
                        limit,
                        budget,
                        chosen == null ? recent : new ChosenPages(recent, chosen, budget)));
    }

    /** Returns the beginning of a page, and no next one if the rest died earlier. */
    private static ResultPage<TaskView> since(long millis, ResultPage<TaskView> page) {
        List<TaskView> recent =
                page.items().stream().takeWhile(task -> task.at() >= millis).toList();
        return new ResultPage<>(recent, recent.size() < page.items().size() ? null : page.next());
    }
}
