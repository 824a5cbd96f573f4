package dev.tandem.local;

import dev.tandem.kit.Await;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waits for processes and brokers. Whatever goes wrong is a {@link LocalException}. */
final class Waiting {

    private Waiting() {}

    /**
     * Waits until the condition holds.
     *
     * @param problem what to say when the time is up, without the time: "Redis was not ready"
     * @param log adds what the log says to that
     */
    static void until(Duration limit, String problem, Callable<Boolean> condition, Supplier<String> log) {
        try {
            Await.until(limit, condition, () -> problem);
        } catch (TimeoutException e) {
            throw new LocalException((e.getMessage() + ". " + log.get()).strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalException("Interrupted while waiting; so far " + problem, e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new LocalException("Waiting failed: " + e.getMessage(), e);
        }
    }

    /** Waits until the condition holds. Nodes that do not answer it are waited for too. */
    static void untilNodes(Duration limit, String problem, Callable<Boolean> condition) {
        until(
                limit,
                problem,
                () -> {
                    try {
                        return condition.call();
                    } catch (LocalException e) {
                        return false; // a node was killed just now, or is not up yet
                    }
                },
                () -> "");
    }
}
