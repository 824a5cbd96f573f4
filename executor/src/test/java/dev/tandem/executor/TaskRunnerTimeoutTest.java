package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Timeouts of handlers, and what interrupts them. */
class TaskRunnerTimeoutTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private final ManualClock clock = fixture.clock;
    private final TimeoutWatchdog watchdog = fixture.watchdog;

    private Outcome run(QueueSpec.Builder spec, Run run) {
        return fixture.run(spec, run);
    }

    @Test
    void aHandlerIsInterruptedAtItsTimeoutAndTheAttemptFails() throws InterruptedException {
        QueueSpec.Builder spec =
                queue().timeout(Duration.ofSeconds(30)).action("pay", task -> new CountDownLatch(1).await());
        Thread worker = fixture.start(() -> run(spec, TestRuns.of(task("pay", ""), 1)));

        assertThat(watchdog.check()).isEqualTo(clock.millis() + 30_000);
        clock.advance(29_999);
        watchdog.check();
        assertThat(fixture.slot.attempt()).isNotNull();
        clock.advance(1);
        watchdog.check();
        worker.join();

        assertRetryWithError("timed out after 30000 ms");
        assertThat(fixture.counters.timedOut.sum()).isEqualTo(1);
        assertThat(watchdog.check()).as("nothing left to watch").isEqualTo(Attempt.NEVER);
    }

    @Test
    void theTimeoutOfATaskOverridesThatOfItsQueue() throws InterruptedException {
        QueueSpec.Builder spec = queue().timeout(Duration.ZERO).action("pay", task -> new CountDownLatch(1).await());
        Task own = new Task(null, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 50, 0, null);
        Thread worker = fixture.start(() -> run(spec, TestRuns.of(own, 1)));
        clock.advance(50);
        watchdog.check();
        worker.join();

        assertRetryWithError("timed out after 50 ms");
    }

    @Test
    void aTaskCannotRunForLongerThanItsQueueAllows() {
        Task greedy = new Task(null, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 86_400_000, 0, null);
        QueueSpec.Builder spec = queue().timeout(Duration.ofSeconds(30));

        assertThat(spec.build().timeoutMillisOf(greedy)).isEqualTo(30_000);
        assertThat(spec.timeoutLimit(Duration.ofMinutes(5)).build().timeoutMillisOf(greedy))
                .isEqualTo(300_000);
        assertThat(spec.timeoutLimit(Duration.ZERO).build().timeoutMillisOf(greedy))
                .as("any timeout")
                .isEqualTo(86_400_000);
        assertThat(spec.build().timeoutMillisOf(task("pay", "")))
                .as("names none")
                .isEqualTo(30_000);
    }

    @Test
    void aHandlerThatReturnsAfterItsInterruptHasTimedOutAndTheNextRunIsNotInterrupted() throws InterruptedException {
        QueueSpec.Builder spec = queue().action("pay", task -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread worker = fixture.start(() -> {
            run(spec, TestRuns.of(task("pay", ""), 1));
            // The second run on the same thread must not see the interrupt of the first.
            run(
                    queue().action("pay", task -> {
                        if (Thread.currentThread().isInterrupted()) {
                            throw new AssertionError("an interrupt leaked into the next run");
                        }
                    }),
                    TestRuns.of(task("pay", ""), 2));
        });
        clock.advance(30_000);
        watchdog.check();
        worker.join();

        assertThat(fixture.counters.timedOut.sum()).isEqualTo(1);
        assertThat(fixture.counters.retried.sum()).isEqualTo(1);
        assertThat(fixture.counters.succeeded.sum()).isEqualTo(1);
    }

    @Test
    void aHandlerThatIgnoresItsInterruptIsReportedAsStuckOnce() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        QueueSpec.Builder spec = queue().action("pay", task -> {
            boolean released = false;
            while (!released) {
                try {
                    go.await();
                    released = true;
                } catch (InterruptedException e) {
                    assertThat(task.isCancelled()).isTrue();
                }
            }
        });
        Thread worker = fixture.start(() -> run(spec, TestRuns.of(task("pay", ""), 1)));

        clock.advance(30_000);
        watchdog.check();
        clock.advance(9_999);
        watchdog.check();
        assertThat(fixture.stuck).isEmpty();
        clock.advance(1);
        watchdog.check();
        clock.advance(60_000);
        watchdog.check();
        assertThat(fixture.stuck).hasSize(1);

        go.countDown();
        worker.join();
        assertRetryWithError("timed out after 30000 ms");
    }

    @Test
    void aHandlerInterruptedBecauseTheProcessEndsSpendsNoAttempt() throws InterruptedException {
        QueueSpec.Builder spec = queue().maxAttempts(1).action("pay", task -> new CountDownLatch(1).await());
        Thread worker = fixture.start(() -> run(spec, TestRuns.of(task("pay", ""), 1)));
        Objects.requireNonNull(fixture.slot.attempt()).stop();
        worker.join();

        assertThat(fixture.outcome).hasValue(Outcome.NotStarted.INSTANCE);
    }

    private void assertRetryWithError(String error) {
        assertThat(fixture.outcome.get())
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).isEqualTo(error));
    }
}
