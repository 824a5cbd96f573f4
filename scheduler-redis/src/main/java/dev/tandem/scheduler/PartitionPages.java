package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Lists something of several partitions, one partition after the other. */
final class PartitionPages {

    /** Lists one page of a partition. */
    interface Lister<T> {
        CompletableFuture<ResultPage<T>> page(Partition partition, @Nullable String cursor, int limit);
    }

    private PartitionPages() {}

    /** @throws IllegalArgumentException if no page returned the cursor */
    static <T> CompletableFuture<ResultPage<T>> collect(
            List<Partition> partitions, @Nullable String cursor, int limit, ReadBudget budget, Lister<T> lister) {
        QueueCursor from = QueueCursor.parse(cursor);
        int at = from.indexIn(partitions, cursor);
        return collect(partitions, at, from.inner(), limit, budget, lister, new ArrayList<>());
    }

    /** Adds a page of the partition at {@code at}, and of those behind it if that was its last. */
    private static <T> CompletableFuture<ResultPage<T>> collect(
            List<Partition> partitions,
            int at,
            @Nullable String inner,
            int limit,
            ReadBudget budget,
            Lister<T> lister,
            List<T> found) {
        if (at >= partitions.size()) {
            return CompletableFuture.completedFuture(new ResultPage<>(found, null));
        }
        Partition partition = partitions.get(at);
        budget.runs(1);
        return lister.page(partition, inner, limit - found.size()).thenCompose(page -> {
            found.addAll(page.items());
            budget.lookedAt(page.items().size());
            if (page.next() != null) {
                return CompletableFuture.completedFuture(
                        new ResultPage<>(found, QueueCursor.encode(partition, page.next())));
            } else if (at + 1 < partitions.size() && (found.size() >= limit || budget.isSpent())) {
                return CompletableFuture.completedFuture(
                        new ResultPage<>(found, QueueCursor.encode(partitions.get(at + 1), null)));
            }
            return collect(partitions, at + 1, null, limit, budget, lister, found);
        });
    }
}
