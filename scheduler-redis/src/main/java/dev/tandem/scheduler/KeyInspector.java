package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Inspects the keys of queues: which are blocked, why, and what is parked behind their heads. Changes nothing. A future fails when
 * Redis cannot be reached or does not answer in time. Thread-safe.
 */
public final class KeyInspector {

    private final Inspector inspector;

    KeyInspector(Inspector inspector) {
        this.inspector = inspector;
    }

    /** Returns where a key is blocked; empty if nowhere. */
    public CompletableFuture<List<KeyView>> find(String queue, String key) {
        return inspector
                .partitions(queue)
                .thenCompose(partitions -> Futures.all(partitions, each -> find(each, key)))
                .thenApply(views -> views.stream().flatMap(Optional::stream).toList());
    }

    /** Returns why a key is blocked in one partition; empty if it is not. */
    public CompletableFuture<Optional<KeyView>> find(Partition partition, String key) {
        return inspector.inspect(partition, "key", key).thenApply(reply -> {
            ReplyReader in = new ReplyReader(reply);
            String entry = in.maybeText();
            return entry == null
                    ? Optional.empty()
                    : Optional.of(InspectionReply.key(partition, key, entry, in.number(), in.list()));
        });
    }

    /** Returns the first tasks that are parked behind the head of a key, in order. */
    public CompletableFuture<List<TaskView>> parkedBehind(Partition partition, String key, int limit) {
        Inspector.requireLimit(limit);
        return inspector
                .inspect(partition, "lane", key, Integer.toString(limit))
                .thenApply(reply -> InspectionReply.tasks(partition, new ReplyReader(reply).list()));
    }

    /**
     * Lists blocked keys in no order. A page may have somewhat more or fewer than the limit.
     *
     * @throws IllegalArgumentException if the limit or the cursor is not allowed
     */
    public CompletableFuture<ResultPage<KeyView>> blocked(Partition partition, @Nullable String cursor, int limit) {
        Inspector.requireLimit(limit);
        return inspector
                .inspect(
                        partition,
                        "blocked",
                        cursor == null ? "" : TaskCursor.requireScan(cursor),
                        Integer.toString(limit))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    String next = in.text();
                    List<KeyView> keys = new ArrayList<>();
                    while (in.hasMore()) {
                        keys.add(InspectionReply.key(partition, in.text(), in.text(), in.number(), in.list()));
                    }
                    return new ResultPage<>(keys, next.isEmpty() ? null : next);
                });
    }

    /** Lists blocked keys over all partitions of a queue, with the budget of a list. */
    public CompletableFuture<ResultPage<KeyView>> blocked(String queue, @Nullable String cursor, int limit) {
        return blocked(queue, cursor, limit, ReadBudget.forList());
    }

    /** Lists blocked keys over all partitions of a queue, one partition after the other; else as for one. */
    public CompletableFuture<ResultPage<KeyView>> blocked(
            String queue, @Nullable String cursor, int limit, ReadBudget budget) {
        Inspector.requireLimit(limit);
        QueueCursor from = QueueCursor.parse(cursor);
        if (from.inner() != null) {
            TaskCursor.requireScan(from.inner());
        }
        return inspector
                .partitions(queue)
                .thenCompose(partitions -> PartitionPages.collect(partitions, cursor, limit, budget, this::blocked));
    }

    /**
     * Returns the key behind which the most tasks are parked, or one that has nearly as many (within one in 128 of all
     * parked tasks); empty if none is parked. Costs the same however many keys are blocked.
     */
    public CompletableFuture<Optional<KeyView>> fullest(Partition partition) {
        return inspector.inspect(partition, "fullest").thenApply(reply -> {
            ReplyReader in = new ReplyReader(reply);
            String key = in.hasMore() ? in.text() : null;
            String entry = key == null ? null : in.maybeText();
            return key == null || entry == null
                    ? Optional.empty()
                    : Optional.of(InspectionReply.key(partition, key, entry, in.number(), null));
        });
    }
}
