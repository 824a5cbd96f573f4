package dev.tandem.scheduler;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what one request that reads may cost: scripts, tasks that are looked at, and time. A list ends early once it is
 * spent, and goes on with its cursor. Everything ends once the time has passed, or nobody waits for the answer.
 * Thread-safe.
 */
public final class ReadBudget {

    /** Thrown when a search could not be finished, and has no place at which it could go on. */
    public static final class SpentException extends RuntimeException {
        SpentException(String message) {
            super(message);
        }
    }

    private static final int LISTED_SCRIPTS = 5_000;
    private static final int LISTED_TASKS = 5_000;
    private static final Duration LISTED_FOR = Duration.ofSeconds(10);

    /** A search for an id looks at all partitions, and cannot go on later. */
    private static final int SEARCHED_SCRIPTS = 50_000;

    private static final Duration SEARCHED_FOR = Duration.ofSeconds(20);

    private final AtomicLong scripts;
    private final AtomicLong tasks;
    private final long endsAt;
    private volatile boolean cancelled;

    ReadBudget(long scripts, long tasks, Duration time) {
        this.scripts = new AtomicLong(scripts);
        this.tasks = new AtomicLong(tasks);
        endsAt = System.nanoTime() + time.toNanos();
    }

    /** Returns whether something failed because a budget was spent. */
    static boolean isSpent(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof SpentException;
    }

    /** Returns the budget of a request for a part of a list. */
    public static ReadBudget forList() {
        return forList(LISTED_TASKS);
    }

    /**
     * Returns the budget of a request for a part of a list.
     *
     * @param tasks at how many tasks a search looks; the last script that it runs may go beyond
     */
    public static ReadBudget forList(int tasks) {
        return new ReadBudget(LISTED_SCRIPTS, tasks, LISTED_FOR);
    }

    /** Returns the budget of a search for one task. */
    public static ReadBudget forSearch() {
        return new ReadBudget(SEARCHED_SCRIPTS, Long.MAX_VALUE, SEARCHED_FOR);
    }

    /** Ends what goes on, because nobody waits for it. */
    public void cancel() {
        cancelled = true;
    }

    /** Returns whether a list should end where it has a place to go on. */
    public boolean isSpent() {
        return scripts.get() <= 0 || tasks.get() <= 0 || isOver();
    }

    /** Returns whether nothing more may be asked, even without such a place. */
    boolean isOver() {
        return cancelled || System.nanoTime() - endsAt >= 0;
    }

    /** Notes that scripts are about to run. */
    void runs(long count) {
        scripts.addAndGet(-count);
    }

    /** Returns at how many tasks a list may still look. */
    long tasksLeft() {
        return Math.max(0, tasks.get());
    }

    void lookedAt(long count) {
        tasks.addAndGet(-count);
    }

    /** @throws SpentException if a search has used it up */
    void requireForSearch() {
        if (isSpent()) {
            throw new SpentException(
                    "The search was ended, because it took too long: not all partitions were searched");
        }
    }

    /** @throws SpentException if a list has no more time */
    void requireTime() {
        if (isOver()) {
            throw new SpentException(
                    "The list was ended, because it took too long: ask for one partition or one state");
        }
    }
}
