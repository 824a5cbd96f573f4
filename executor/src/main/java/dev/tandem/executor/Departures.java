package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The runs that must not wait at a gate: all of them once the queue stops, and those of partitions that this executor is giving up.
 * Thread-safe.
 */
final class Departures {

    private final Set<Partition> partitions = ConcurrentHashMap.newKeySet();
    private volatile boolean all;

    /** Takes note that the queue stops. */
    void all() {
        all = true;
    }

    /** Takes note that this executor begins to give up a partition. */
    void leave(Partition partition) {
        partitions.add(partition);
    }

    /** Takes note that this executor has given up a partition. It may get it again. */
    void left(Partition partition) {
        partitions.remove(partition);
    }

    boolean include(Run run) {
        return all || partitions.contains(run.partition());
    }
}
