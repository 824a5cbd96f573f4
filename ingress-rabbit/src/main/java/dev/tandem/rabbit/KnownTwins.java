package dev.tandem.rabbit;

import dev.tandem.task.Partition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The identities that came twice on a channel of a partition, until a channel of it is caught up. If one comes twice again
 * on the next channel, it belongs to two messages. Used by the loop's thread only.
 */
final class KnownTwins {

    private static final int MAX_PER_PARTITION = 100_000;

    private final Map<Partition, Set<String>> identities = new HashMap<>();

    /** Notes an identity. Returns whether it was not known. */
    boolean add(Partition partition, String identity) {
        Set<String> known = identities.computeIfAbsent(partition, p -> new HashSet<>());
        return known.size() < MAX_PER_PARTITION && known.add(identity);
    }

    /** Forgets those of a partition, which is caught up. */
    void caughtUp(Partition partition) {
        identities.remove(partition);
    }
}
