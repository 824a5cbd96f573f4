package dev.tandem.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Publishes tasks as fast as it can, from one thread. */
interface TaskFlood extends AutoCloseable {

    /** Publishes this number of tasks, without waiting for the acknowledgement of the last ones. */
    void publish(int tasks, Acknowledgements acknowledgements) throws Exception;

    @Override
    void close() throws Exception;

    /** Returns how many tasks a second were published and acknowledged. */
    default double perSecond(int tasks) throws Exception {
        Acknowledgements acknowledgements = new Acknowledgements(tasks);
        long start = System.nanoTime();
        publish(tasks, acknowledgements);
        acknowledgements.await();
        return tasks / ((System.nanoTime() - start) / 1e9);
    }

    /** The acknowledgements of a number of tasks. Thread-safe. */
    final class Acknowledgements {

        private static final long LIMIT_MINUTES = 3;

        private final CountDownLatch missing;
        private final AtomicReference<@Nullable Throwable> problem = new AtomicReference<>();

        Acknowledgements(int tasks) {
            missing = new CountDownLatch(tasks);
        }

        /** @param failure why a task was not acknowledged; null if it was */
        void one(@Nullable Throwable failure) {
            if (failure != null) {
                problem.set(failure);
            }
            missing.countDown();
        }

        void await() throws InterruptedException {
            boolean all = missing.await(LIMIT_MINUTES, TimeUnit.MINUTES);
            Throwable failure = problem.get();
            if (!all || failure != null) {
                throw new IllegalStateException(
                        "Not all tasks were acknowledged: " + (failure == null ? "too slow" : failure.getMessage()),
                        failure);
            }
        }
    }
}
