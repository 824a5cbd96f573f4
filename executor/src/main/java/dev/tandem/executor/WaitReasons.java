package dev.tandem.executor;

import dev.tandem.ordering.Overflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why tasks of a queue wait although the queue works.
 *
 * @param text for people; null if nothing does
 * @param expires whether the broker may delete tasks that wait in the log before they have run
 */
record WaitReasons(
        @Nullable String text,
        int fullPartitions,
        long overflowTasks,
        int overflowKeys,
        long overflowAgeMillis,
        boolean expires) {

    static final WaitReasons NONE = new WaitReasons(null, 0, 0, 0, 0, false);

    /** @param retentionMillis how long the broker keeps a record; {@link Long#MAX_VALUE}: for ever, or it is not known */
    static WaitReasons of(int fullPartitions, Overflow overflow, long wallMillis, long retentionMillis) {
        if (fullPartitions == 0 && overflow.tasks() == 0) {
            return NONE;
        }
        List<String> reasons = new ArrayList<>();
        if (fullPartitions > 0) {
            reasons.add("memory is full in " + fullPartitions
                    + " partitions, so the broker delivers nothing there until tasks have ended (the bounds are max-in-memory"
                    + " and max-in-memory-bytes)");
        }
        long age = 0;
        boolean expires = false;
        if (overflow.tasks() > 0) {
            age = Math.max(0, wallMillis - overflow.oldestPublishedAt());
            expires = age > retentionMillis / 2;
            reasons.add(overflow.tasks() + " tasks " + whoseTheyAre(overflow) + ", the oldest for "
                    + Duration.ofSeconds(age / 1_000)
                    + (expires
                            ? ". The topic keeps records for " + Duration.ofMillis(retentionMillis)
                                    + ": raise its retention, or let the keys go on, before they are deleted"
                            : ""));
        }
        return new WaitReasons(
                String.join("; ", reasons), fullPartitions, overflow.tasks(), overflow.keys(), age, expires);
    }

    private static String whoseTheyAre(Overflow overflow) {
        if (overflow.tenants() > 0) {
            return "of " + overflow.tenants()
                    + " tenants wait in the topic, since these have their share of memory (fair.weights"
                    + " and max-in-memory), or Redis parks no more of their keys (max-parked and max-parked-per-key)";
        }
        return "of " + overflow.keys()
                + " keys wait in the topic, since Redis parks no more of them (the bounds are max-parked"
                + " and max-parked-per-key)";
    }
}
