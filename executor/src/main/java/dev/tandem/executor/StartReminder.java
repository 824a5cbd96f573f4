package dev.tandem.executor;

import dev.tandem.executor.pull.TaskLeases;

/** Says when others should be told that tasks could start here that no pull worker asks for. Their desk guards it. */
final class StartReminder {

    private static final long NEVER = Long.MAX_VALUE;

    private int startable;
    private boolean wanted;
    private long next;

    /**
     * Takes note of how many tasks could start.
     *
     * @param asked whether a worker asks for tasks
     * @return whether others should be told now
     */
    boolean isDue(int couldStart, boolean asked, long now) {
        startable = couldStart;
        wanted = asked;
        if (couldStart == 0) {
            next = 0;
        }
        boolean due = couldStart > 0 && !asked && now >= next;
        if (due) {
            next = now + TaskLeases.REMINDER_MILLIS;
        }
        return due;
    }

    int startable() {
        return startable;
    }

    /** Returns when others should be told again. */
    long next() {
        return startable > 0 && !wanted ? next : NEVER;
    }
}
