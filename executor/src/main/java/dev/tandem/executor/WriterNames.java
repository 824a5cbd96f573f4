package dev.tandem.executor;

import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.Map;

/**
 * The writer names of this process: one random name for each partition, kept until the process ends. Used by one
 * thread.
 */
final class WriterNames {

    private final Map<Partition, String> names = new HashMap<>();

    String of(Partition partition) {
        return names.computeIfAbsent(partition, p -> RandomNames.hex(16));
    }
}
