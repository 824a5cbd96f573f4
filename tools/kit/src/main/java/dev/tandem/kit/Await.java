package dev.tandem.kit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Waits for conditions, in the calling thread. */
public final class Await {

    private static final Duration DEFAULT_INTERVAL = Duration.ofMillis(10);

    private Await() {}

    /** Waits until the condition holds. It is evaluated every 10 ms. */
    public static void until(Duration limit, Callable<Boolean> condition, Supplier<String> problem) throws Exception {
        until(limit, DEFAULT_INTERVAL, condition, problem);
    }

    /**
     * Waits until the condition holds.
     *
     * @param interval the time between two evaluations
     * @param condition is evaluated at once and then repeatedly; whatever it throws is thrown to the caller
     * @param problem describes how far things got, and is asked when the time is up
     * @throws TimeoutException with the problem, when the time is up
     * @throws InterruptedException when the calling thread is interrupted
     * @throws Exception that the condition threw
     */
    public static void until(Duration limit, Duration interval, Callable<Boolean> condition, Supplier<String> problem)
            throws Exception {
        try {
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(interval)
                    .atMost(limit)
                    .until(() -> {
                        // Awaitility itself sleeps on when it polls in the same thread.
                        if (Thread.interrupted()) {
                            throw new InterruptedException();
                        }
                        return condition.call();
                    });
        } catch (ConditionTimeoutException e) {
            throw new TimeoutException(problem.get() + " after " + limit.toSeconds() + " s");
        }
    }
}
