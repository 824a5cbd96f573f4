package dev.tandem.scheduler;

import java.util.Set;

/** Decides when an executor sends its next heartbeat: often while executors come and go. Used by one thread. */
final class HeartbeatSchedule {

    /** For so long after an executor came or left, heartbeats are fast. */
    static final long UNSETTLED_MILLIS = 10_000;

    static final long FAST_MILLIS = 500;
    static final long SLOW_MILLIS = 2_500;

    private Set<String> known = Set.of();
    private long changedAt;
    private long lastAt;

    HeartbeatSchedule(long now) {
        this.changedAt = now;
        this.lastAt = now;
    }

    /**
     * Returns whether the next heartbeat is due, and if so counts it as sent. Should be called often.
     *
     * @param executors the ids of all executors known at the last heartbeat
     */
    boolean isDue(long now, Set<String> executors) {
        if (!executors.equals(known)) {
            known = Set.copyOf(executors);
            changedAt = now;
        }
        boolean due = now - lastAt >= (now - changedAt < UNSETTLED_MILLIS ? FAST_MILLIS : SLOW_MILLIS);
        lastAt = due ? now : lastAt;
        return due;
    }
}
