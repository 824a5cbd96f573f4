package dev.tandem.task;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads when the time of a task is over, and says what is wrong with it. The time is kept among the headers of the task as epoch
 * milliseconds, under {@value TaskHeaders#EXPIRES_AT}, so that a task without one pays nothing for it.
 */
final class TaskExpiry {

    private long expiresAt;
    private long ttl;

    /** Returns the time that these headers say; 0 if they say none that can be read. */
    static long of(Map<String, String> headers) {
        String text = headers.isEmpty() ? null : headers.get(TaskHeaders.EXPIRES_AT);
        if (text == null) {
            return 0;
        }
        try {
            return Math.max(1, HeaderValues.INSTANT.read(text));
        } catch (RuntimeException e) {
            // An executor of an earlier version, which did not know the header, has kept the task.
            return 0;
        }
    }

    /** Takes a time. One before 1970 is over like any other in the past. */
    void expiresAt(long epochMillis) {
        expiresAt = epochMillis == 0 ? 0 : Math.max(1, epochMillis);
    }

    void ttl(long millis) {
        ttl = millis;
    }

    boolean isGiven() {
        return expiresAt > 0 || ttl > 0;
    }

    /**
     * Returns the earlier of the two times, in epoch milliseconds.
     *
     * @param due when the task is due: its earliest start, or else when it was sent
     */
    long from(long due) {
        long byTtl = ttl > 0 ? due + ttl : Long.MAX_VALUE;
        return Math.min(expiresAt > 0 ? expiresAt : Long.MAX_VALUE, byTtl);
    }

    /** Returns why no task can have this time; null if one can. @param notBefore its earliest start; 0 for none */
    static @Nullable String problem(long expiresAt, long notBefore) {
        if (expiresAt > HeaderValues.LATEST) {
            return "the task's time ends beyond the year 9999: use a shorter " + TaskHeaders.TTL;
        }
        return notBefore > 0 && expiresAt <= notBefore
                ? "the task can never run: its time is over at " + expiresAt
                        + " (epoch milliseconds), and its earliest start"
                        + " is " + notBefore + ". Use a later " + TaskHeaders.EXPIRES_AT + ", or " + TaskHeaders.TTL
                        + ", which counts from the earliest start"
                : null;
    }
}
