package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists the chosen tasks of partitions. It looks at many tasks at once, however few are asked for. If a page has more chosen
 * ones than that, it is read once more, and only as far as the last one that is asked for: the store knows the cursor there.
 * For one request. Its calls follow one another.
 */
final class ChosenPages implements PartitionPages.Lister<TaskView> {

    /** How many tasks one call of the script returns at most. */
    private static final int LOOKED_AT = 500;

    private static final long MAX_BYTES = 1 << 20;

    private final PartitionPages.Lister<TaskView> all;
    private final Predicate<TaskView> chosen;
    private final ReadBudget budget;
    private volatile long bytes;

    /** @param all lists all tasks, and notes the scripts that it runs besides one for each page */
    ChosenPages(PartitionPages.Lister<TaskView> all, Predicate<TaskView> chosen, ReadBudget budget) {
        this.all = all;
        this.chosen = chosen;
        this.budget = budget;
    }

    @Override
    public CompletableFuture<ResultPage<TaskView>> page(Partition partition, @Nullable String cursor, int limit) {
        return page(partition, cursor, limit, Math.max(limit, LOOKED_AT));
    }

    private CompletableFuture<ResultPage<TaskView>> page(
            Partition partition, @Nullable String cursor, int limit, int lookedAt) {
        return all.page(partition, cursor, lookedAt).thenCompose(page -> {
            budget.lookedAt(page.items().size());
            List<TaskView> found = new ArrayList<>();
            int end = 0;
            for (int i = 0; i < page.items().size(); i++) {
                if (chosen.test(page.items().get(i))) {
                    found.add(page.items().get(i));
                    end = found.size() == limit ? i + 1 : end;
                }
            }
            if (found.size() > limit && end < lookedAt) {
                budget.runs(1);
                return page(partition, cursor, limit, end);
            }
            bytes += found.stream().mapToLong(ChosenPages::weight).sum();
            return CompletableFuture.completedFuture(new ResultPage<>(found, page.next()));
        });
    }

    private static long weight(TaskView task) {
        Envelope envelope = task.envelope();
        return envelope == null ? 0 : envelope.task().weight();
    }

    @Override
    public boolean isSearch() {
        return true;
    }

    @Override
    public boolean isFull() {
        return bytes >= MAX_BYTES;
    }

    @Override
    public int looked(ResultPage<TaskView> page) {
        return 0; // noted already
    }
}
