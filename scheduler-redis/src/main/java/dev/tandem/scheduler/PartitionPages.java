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

        /** Returns whether to go on in a partition after a page that has less than what is asked for. */
        default boolean isSearch() {
            return false;
        }

        /** Returns whether what was found is enough, although it is less than what is asked for. */
        default boolean isFull() {
            return false;
        }

        /** Returns at how many items this page has looked, besides those that the lister has noted. */
        default int looked(ResultPage<T> page) {
            return page.items().size();
        }
    }

    private PartitionPages() {}

    /** @throws IllegalArgumentException if no page returned the cursor */
    static <T> CompletableFuture<ResultPage<T>> collect(
            List<Partition> partitions, @Nullable String cursor, int limit, ReadBudget budget, Lister<T> lister) {
        QueueCursor from = QueueCursor.parse(cursor);
        int at = from.indexIn(partitions, cursor);
        return collect(new Request<>(partitions, limit, budget, lister, new ArrayList<>()), at, from.inner());
    }

    /** The tasks that are asked for, and those found so far. */
    private record Request<T>(
            List<Partition> partitions, int limit, ReadBudget budget, Lister<T> lister, List<T> found) {

        boolean ends() {
            return found.size() >= limit || lister.isFull() || budget.isSpent();
        }
    }

    /** Adds a page of the partition at {@code at}, and of those behind it if that was its last. */
    private static <T> CompletableFuture<ResultPage<T>> collect(Request<T> request, int at, @Nullable String inner) {
        if (at >= request.partitions().size()) {
            return CompletableFuture.completedFuture(new ResultPage<>(request.found(), null));
        }
        Partition partition = request.partitions().get(at);
        request.budget().runs(1);
        int most = request.limit() - request.found().size();
        return request.lister().page(partition, inner, most).thenCompose(page -> {
            request.found().addAll(page.items());
            request.budget().lookedAt(request.lister().looked(page));
            if (page.next() == null && (at + 1 == request.partitions().size() || !request.ends())) {
                return collect(request, at + 1, null);
            } else if (page.next() != null && request.lister().isSearch() && !request.ends()) {
                return collect(request, at, page.next());
            }
            String next = page.next() == null
                    ? QueueCursor.encode(request.partitions().get(at + 1), null)
                    : QueueCursor.encode(partition, page.next());
            return CompletableFuture.completedFuture(new ResultPage<>(request.found(), next));
        });
    }
}
