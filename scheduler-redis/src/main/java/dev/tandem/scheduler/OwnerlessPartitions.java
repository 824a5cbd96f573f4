package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Partitions that their broker does not have any more, and that hold nothing to run or to publish. Thread-safe. */
final class OwnerlessPartitions {

    private final AdminConnection connection;
    private final Inspector inspector;
    private final Map<String, List<Partition>> byQueue = new ConcurrentHashMap<>();

    OwnerlessPartitions(AdminConnection connection, Inspector inspector) {
        this.connection = connection;
        this.inspector = inspector;
    }

    List<Partition> all() {
        return byQueue.values().stream().flatMap(List::stream).toList();
    }

    /**
     * Finds the partitions of a queue that hold tasks to run, or events that wait, since only owners publish them. Notes those that
     * have only a history.
     */
    void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        inspector
                .heldPartitions(queue, except)
                .thenCombine(withEvents(queue, except), (withTasks, withEvents) -> {
                    Set<Partition> held = new LinkedHashSet<>(withTasks);
                    held.addAll(withEvents);
                    return held;
                })
                .thenCombine(inspector.partitions(queue), (held, all) -> {
                    byQueue.put(
                            queue,
                            all.stream()
                                    .filter(each -> !except.contains(each) && !held.contains(each))
                                    .toList());
                    return held;
                })
                .whenComplete((held, failure) -> {
                    if (failure == null) {
                        found.accept(held);
                    }
                });
    }

    /** Returns the partitions with events that wait; none if this process does not publish the queue's events. */
    private CompletableFuture<List<Partition>> withEvents(String queue, Collection<Partition> except) {
        if (connection.eventPolicy(queue).isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return inspector
                .partitions(queue)
                .thenCompose(all -> Futures.all(
                        all.stream().filter(each -> !except.contains(each)).toList(),
                        each -> haveEvents(each)
                                .thenApply(wait -> wait ? Optional.of(each) : Optional.<Partition>empty())))
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    private CompletableFuture<Boolean> haveEvents(Partition partition) {
        byte[] list = connection.keys().events(partition);
        return connection.run(commands -> commands.exists(list)).thenApply(lists -> lists > 0);
    }
}
