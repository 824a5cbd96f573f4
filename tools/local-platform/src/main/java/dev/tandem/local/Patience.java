package dev.tandem.local;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting for brokers to agree among themselves. */
final class Patience {

    private static final long PAUSE_MILLIS = 50;

    private Patience() {}

    /**
     * Waits until the condition holds. A broker that does not answer it is waited for too.
     *
     * @param what for the message when the time is up
     */
    static void await(String what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new LocalException("Waited " + limit.toSeconds() + " s for " + what + ", in vain.");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LocalException("Interrupted while waiting for " + what, e);
            }
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (LocalException e) {
            return false; // it is just being killed, or not yet up
        }
    }
}
