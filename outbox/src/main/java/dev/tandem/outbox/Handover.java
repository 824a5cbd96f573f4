package dev.tandem.outbox;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides which buckets a relay gives to the others, because its client cannot publish a row that is in them. Pure; times are
 * milliseconds of the relay's clock. Used by one thread.
 */
final class Handover {

    /** In leases. While no relay can publish a row, its bucket must not change hands all the time. */
    private static final int REST = 3;

    private final long lease;
    private final Set<Integer> leaving = new HashSet<>();
    private final Map<Integer, Long> passedAt = new HashMap<>();

    Handover(long lease) {
        this.lease = lease;
    }

    /** Notes that a row of a bucket cannot be published here. Returns whether the bucket is to go. */
    boolean wants(int bucket, long now) {
        Long last = passedAt.get(bucket);
        if (last != null && now - last < REST * lease) {
            return false;
        }
        return leaving.add(bucket);
    }

    /** Returns the buckets of which no more rows are to be read. */
    Set<Integer> leaving() {
        return leaving;
    }

    /** Returns the buckets that can go now, and notes that they do. The others follow later. */
    Set<Integer> take(Set<Integer> busy, long now) {
        Set<Integer> going = new HashSet<>(leaving);
        going.removeAll(busy);
        leaving.removeAll(going);
        going.forEach(each -> passedAt.put(each, now));
        return going;
    }
}
