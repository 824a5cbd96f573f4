package dev.tandem.api;

import java.time.Duration;
import java.util.Objects;

/** The end of an attempt, as a {@link Handler} returns it. Immutable. */
public sealed interface Result {

    /** The task succeeded. */
    record Done() implements Result {
        private static final Done INSTANCE = new Done();
    }

    /**
     * The attempt failed, and the next one starts after {@code delay} instead of the delay of the queue's retry policy.
     * If no attempt is left, the task is dead.
     *
     * @param delay 0 or more; a delay over 365 days counts as 365 days
     * @param reason why the attempt failed, for the operator
     */
    record Again(Duration delay, String reason) implements Result {

        /** @throws IllegalArgumentException if the delay is negative */
        public Again {
            Objects.requireNonNull(reason, "reason");
            if (delay.isNegative()) {
                throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
            }
        }
    }

    /**
     * The task has done a part of its work, or waits for something: it runs again after {@code delay}. No attempt is spent,
     * and nothing counts as failed. Tasks of its key wait until it has ended.
     *
     * @param delay 0 or more; a delay over 365 days counts as 365 days
     */
    record Snooze(Duration delay) implements Result {

        /** @throws IllegalArgumentException if the delay is negative */
        public Snooze {
            if (delay.isNegative()) {
                throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
            }
        }
    }

    /**
     * The task cannot succeed and is dead at once.
     *
     * @param reason why it cannot succeed, for the operator
     */
    record Dead(String reason) implements Result {
        public Dead {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /** Returns the result of a task that succeeded. */
    static Result done() {
        return Done.INSTANCE;
    }

    /**
     * Returns the result of a failed attempt that chooses its own delay; see {@link Again}.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    static Result again(Duration delay, String reason) {
        return new Again(delay, reason);
    }

    /**
     * Returns the result of an attempt after which the task runs again without having spent it; see {@link Snooze}.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    static Result snooze(Duration delay) {
        return new Snooze(delay);
    }

    /** Returns the result of a task that cannot succeed. */
    static Result dead(String reason) {
        return new Dead(reason);
    }
}
