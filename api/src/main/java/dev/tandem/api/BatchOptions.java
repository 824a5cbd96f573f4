package dev.tandem.api;

import java.time.Duration;

/**
 * Says how tasks are collected for one call of a batch handler. A call begins as soon as it has {@code maxSize} tasks, its
 * first task has waited for {@code maxWait}, or this process may start no further task of the queue.
 *
 * @param maxSize the most tasks of one call, 1 to {@value #LARGEST}. Each of them counts as a running task, so there are
 *     never more of them than the queue's concurrency
 * @param maxWait how long the first task waits for others, 0 to one minute. The wait counts towards the timeouts of the
 *     tasks, and never takes more than half of one
 */
public record BatchOptions(int maxSize, Duration maxWait) {

    /** The most tasks that one call can have. */
    public static final int LARGEST = 200;

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** @throws IllegalArgumentException if a value is out of its bounds; the message names it */
    public BatchOptions {
        if (maxSize < 1 || maxSize > LARGEST) {
            throw new IllegalArgumentException("The batch's maxSize is " + maxSize + ": it must be 1 to " + LARGEST);
        }
        if (maxWait.isNegative() || maxWait.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("The batch's maxWait is " + maxWait + ": it must be 0 to 1 minute");
        }
    }

    /**
     * Returns options.
     *
     * @param maxWait such as {@code 50ms}, {@code 1s} or {@code PT0.05S}
     * @throws InvalidTaskException if the duration cannot be read; the message shows it
     * @throws IllegalArgumentException if a value is out of its bounds; the message names it
     */
    public static BatchOptions of(int maxSize, String maxWait) {
        return new BatchOptions(maxSize, Durations.parse("batch.maxWait", maxWait));
    }
}
