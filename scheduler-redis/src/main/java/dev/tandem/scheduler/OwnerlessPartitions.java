package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Partitions that their broker does not have any more, and that hold nothing to run. Thread-safe. */
final class OwnerlessPartitions {

    private final Inspector inspector;
    private final Map<String, List<Partition>> byQueue = new ConcurrentHashMap<>();

    OwnerlessPartitions(Inspector inspector) {
        this.inspector = inspector;
    }

    List<Partition> all() {
        return byQueue.values().stream().flatMap(List::stream).toList();
    }

    /** Finds the partitions of a queue that hold tasks to run, and notes those that have only a history. */
    void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        inspector
                .heldPartitions(queue, except)
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
}
