package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which runs must not wait at a gate: all of them once the queue stops, and those of partitions that this executor is giving up.
 * Thread-safe.
 */
final class Departures {

    private final Set<Partition> partitions = ConcurrentHashMap.newKeySet();
    private volatile boolean all;

    /** The queue stops. */
    void all() {
        all = true;
    }

    /** This executor begins to give up a partition. */
    void leave(Partition partition) {
        partitions.add(partition);
    }

    /** This executor has given up a partition, and may get it again. */
    void left(Partition partition) {
        partitions.remove(partition);
    }

    boolean include(Run run) {
        return all || partitions.contains(run.partition());
    }
}
