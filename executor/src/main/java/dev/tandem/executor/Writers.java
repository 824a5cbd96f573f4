package dev.tandem.executor;

import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** The names under which a process writes to its partitions: random, and kept until it ends. One thread uses it. */
final class Writers {

    private final Map<Partition, String> names = new HashMap<>();

    String of(Partition partition) {
        return names.computeIfAbsent(partition, p -> randomName(16));
    }

    /** Random hexadecimal digits, up to 32. */
    static String randomName(int digits) {
        return UUID.randomUUID().toString().replace("-", "").substring(0, digits);
    }
}
