package dev.tandem.runtime.schedules;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A rule by which a task is submitted again and again.
 *
 * @param id names the schedule in all programs that have it
 * @param type the type of the tasks; null for the queue's default
 * @param key the key of the tasks; null if they have none
 * @param payload the payload of the tasks, as text
 * @param misfireAfter how late a firing may be before it counts as missed
 * @param misfireMax the most missed firings that fire with {@link Misfire#ALL}
 * @param jitter the longest time by which a firing is put off. Each instant has a delay of its own, the same everywhere
 */
public record Schedule(
        String id,
        String queue,
        @Nullable String type,
        @Nullable String key,
        String payload,
        Timing timing,
        Misfire misfire,
        Duration misfireAfter,
        int misfireMax,
        Overlap overlap,
        Duration jitter) {

    /** Returns the key of the tasks, which the overlap policy may set. */
    public @Nullable String taskKey() {
        return key == null && overlap == Overlap.QUEUE ? id : key;
    }

    /** Returns the id of the task of a firing, which is its deduplication key too. */
    public String taskId(long instant) {
        return taskId(id, instant);
    }

    /** Returns the id of the task of a firing. @param instant in epoch milliseconds */
    public static String taskId(String schedule, long instant) {
        return schedule + "@" + Instant.ofEpochMilli(instant);
    }

    /** Returns when the task of an instant is submitted, in epoch milliseconds: the instant and its jitter. */
    long dueAt(long instant) {
        long span = jitter.toMillis();
        if (span == 0) {
            return instant;
        }
        // A hash of few bits would give neighbouring instants neighbouring delays.
        long mixed = (instant / 1_000 * 31 + id.hashCode()) * 0x9E3779B97F4A7C15L;
        return instant + Math.floorMod(mixed ^ mixed >>> 32, span);
    }
}
