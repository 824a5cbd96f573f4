package dev.tandem.benchmarks;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for conditions, not for time. */
final class Patience {

    private static final long EACH_MILLIS = 10;

    private Patience() {}

    /** A condition that may throw what clients throw. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws Exception;
    }

    /**
     * Waits until it holds.
     *
     * @param otherwise what to say of how far things are when the time is up
     * @throws IllegalStateException when the time is up
     */
    static void await(Duration limit, Condition condition, Supplier<String> otherwise) throws Exception {
        long until = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException(otherwise.get() + " after " + limit.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(EACH_MILLIS);
        }
    }
}
