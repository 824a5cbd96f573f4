package dev.tandem.scheduler;

import java.util.Set;

/** How often an executor says that it is there: often while any of them is new or has just left. One thread uses it. */
final class Pace {

    static final long YOUNG_MILLIS = 10_000;
    static final long OFTEN_MILLIS = 500;
    static final long SELDOM_MILLIS = 2_500;

    private Set<String> known = Set.of();
    private long changedAt;
    private long lastAt;

    Pace(long now) {
        this.changedAt = now;
        this.lastAt = now;
    }

    /** Whether it is time for the next sign of life. To be asked often. @param executors who was there at the last one */
    boolean isDue(long now, Set<String> executors) {
        if (!executors.equals(known)) {
            known = Set.copyOf(executors);
            changedAt = now;
        }
        boolean due = now - lastAt >= (now - changedAt < YOUNG_MILLIS ? OFTEN_MILLIS : SELDOM_MILLIS);
        lastAt = due ? now : lastAt;
        return due;
    }
}
