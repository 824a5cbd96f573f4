package dev.tandem.server.inspect;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a topic to more partitions that is under way: tasks of keys that moved wait for those in their earlier partition.
 *
 * @param from the count before
 * @param to the count after
 * @param since when it was noticed
 * @param openUntil until when producers may use the count before. Then the ends of the earlier partitions are taken
 * @param open whether the ends are not known yet
 * @param partitions the earlier partitions
 */
public record GrowthInfo(
        int from, int to, Instant since, Instant openUntil, boolean open, List<EarlierPartition> partitions) {

    /**
     * A partition that was there before.
     *
     * @param end the offset up to which its tasks come first; null while that is open
     * @param settledTo the offset below which all is settled; null if that is not known
     * @param movedKeys keys that moved from there and have unsettled tasks there, some of them
     * @param more whether there may be others
     */
    public record EarlierPartition(
            String partition, @Nullable Long end, @Nullable Long settledTo, List<String> movedKeys, boolean more) {

        /** Returns whether no task waits for this partition. */
        public boolean settled() {
            boolean isRead = end != null && (end == 0 || settledTo != null && settledTo >= end);
            return isRead && movedKeys.isEmpty() && !more;
        }
    }

    /** Returns whether no task waits any more. */
    public boolean settled() {
        return !open && partitions.stream().allMatch(EarlierPartition::settled);
    }
}
