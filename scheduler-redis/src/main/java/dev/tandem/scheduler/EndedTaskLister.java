package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.TaskEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists tasks that succeeded, expired or were cancelled, the latest first. They are kept together, so those that ended in a
 * rarer way are looked for among the pages of the others. Thread-safe.
 */
final class EndedTaskLister {

    private final Inspector inspector;
    private final SuccessFinder successes;

    EndedTaskLister(Inspector inspector, SuccessFinder successes) {
        this.inspector = inspector;
        this.successes = successes;
    }

    /**
     * Lists tasks of these partitions.
     *
     * @param end how they ended; null for all
     * @param chosen which of them; null for all
     */
    CompletableFuture<ResultPage<TaskView>> pages(
            List<Partition> partitions,
            @Nullable TaskEnd end,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        PartitionPages.Lister<TaskView> all = (partition, inner, most) -> {
            budget.runs(1); // one for the samples of earlier versions
            return page(partition, end, inner, most, budget);
        };
        Predicate<TaskView> wanted = chosen == null && isRare(end) ? task -> true : chosen;
        return PartitionPages.collect(
                partitions, cursor, limit, budget, wanted == null ? all : new ChosenPages(all, wanted, budget));
    }

    private static boolean isRare(@Nullable TaskEnd end) {
        return end != null && end != TaskEnd.SUCCEEDED;
    }

    /** Lists what is kept of tasks that ended so, and of successes, then, the samples of earlier versions. */
    CompletableFuture<ResultPage<TaskView>> page(
            Partition partition, @Nullable TaskEnd end, @Nullable String cursor, int limit, ReadBudget budget) {
        byte[] place = TaskCursor.decode(end == null ? TaskState.SUCCEEDED : end.state(), cursor);
        String text = new String(place, StandardCharsets.ISO_8859_1);
        if (cursor != null && !SuccessFinder.CURSOR.matcher(text).matches()) {
            return samples(partition, end, cursor, limit);
        }
        return successes
                .list(partition, end, cursor == null ? null : text, limit, budget)
                .thenCompose(page -> {
                    if (page.next() != null || page.items().size() == limit) {
                        String next = page.next() == null ? SuccessFinder.END : page.next();
                        return CompletableFuture.completedFuture(
                                new ResultPage<>(page.items(), TaskCursor.encode(ascii(next))));
                    }
                    return samples(partition, end, null, limit - page.items().size())
                            .thenApply(samples -> {
                                List<TaskView> all = new ArrayList<>(page.items());
                                all.addAll(samples.items());
                                return new ResultPage<>(all, samples.next());
                            });
                });
    }

    private CompletableFuture<ResultPage<TaskView>> samples(
            Partition partition, @Nullable TaskEnd end, @Nullable String cursor, int limit) {
        return isRare(end)
                ? CompletableFuture.completedFuture(new ResultPage<>(List.of(), null))
                : inspector.stored(partition, TaskState.SUCCEEDED, cursor, limit);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
