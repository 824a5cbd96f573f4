package dev.tandem.server.inspect;

import java.time.Duration;
import java.util.Map;

/**
 * For how long partitions of a queue have had no owner, as this process has seen.
 *
 * @param lasting by the names of the partitions; without those that this process has not seen yet
 * @param usual for how long a new partition may have no owner though nothing is wrong: until executors notice it and share
 *     it out
 */
public record OwnerGaps(Map<String, Duration> lasting, Duration usual) {

    /** Nothing has been seen. */
    public static final OwnerGaps NONE = new OwnerGaps(Map.of(), Duration.ZERO);

    /** Returns for how long a partition has had no owner; zero if that was not seen yet. */
    public Duration of(String partition) {
        return lasting.getOrDefault(partition, Duration.ZERO);
    }
}
