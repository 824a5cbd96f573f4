package dev.tandem.scheduler;

import java.util.Set;

/** How often an executor says that it is there: often while any of them is new or has just left. One thread uses it. */
final class Pace {

    static final long YOUNG_MILLIS = 10_000;
    static final long OFTEN_MILLIS = 500;
    static final long SELDOM_MILLIS = 2_500;

    private Set<String> known = Set.of();
    private long changedAt;

    Pace(long now) {
        this.changedAt = now;
    }

    /** Until the next sign of life. @param executors who was there at the last one */
    long nextMillis(long now, Set<String> executors) {
        if (!executors.equals(known)) {
            known = Set.copyOf(executors);
            changedAt = now;
        }
        return now - changedAt < YOUNG_MILLIS ? OFTEN_MILLIS : SELDOM_MILLIS;
    }
}
