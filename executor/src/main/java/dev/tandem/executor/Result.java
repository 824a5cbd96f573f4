package dev.tandem.executor;

import java.time.Duration;
import java.util.Objects;

/** What a {@link Handler} says of its attempt. */
public sealed interface Result {

    /** The task is done. */
    record Done() implements Result {
        private static final Done INSTANCE = new Done();
    }

    /**
     * A failed attempt whose next one starts after {@code delay} instead of the policy's delay. Without an attempt
     * left, the task is dead.
     */
    record Again(Duration delay, String reason) implements Result {
        public Again {
            Objects.requireNonNull(reason, "reason");
            if (delay.isNegative()) {
                throw new IllegalArgumentException("The delay is " + delay + ", it must be 0 or more");
            }
        }
    }

    /** The task can't succeed: dead at once. */
    record Dead(String reason) implements Result {
        public Dead {
            Objects.requireNonNull(reason, "reason");
        }
    }

    static Result done() {
        return Done.INSTANCE;
    }

    static Result again(Duration delay, String reason) {
        return new Again(delay, reason);
    }

    static Result dead(String reason) {
        return new Dead(reason);
    }
}
