package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Handlers whose tasks are cancelled while they run. The handlers cancel themselves, as another thread would. */
class CancelledAttemptTest {

    private final RunnerFixture fixture = new RunnerFixture();

    private Outcome run(Handler handler) {
        return fixture.run(queue().handler("pay", handler), TestRuns.of(task("pay", ""), 12));
    }

    private boolean cancel() {
        return fixture.slot.attempt().cancel();
    }

    @Test
    void anInterruptedHandlerIsCancelled() {
        Outcome ended = run(context -> {
            assertThat(cancel()).isTrue();
            assertThat(context.isCancelled()).isTrue();
            Thread.sleep(60_000);
            return Result.done();
        });
        assertThat(ended).isEqualTo(Outcome.Cancelled.INSTANCE);
        assertThat(fixture.counters.cancelled.sum()).isEqualTo(1);
        assertThat(fixture.counters.failedAttempts.sum())
                .as("says nothing about what handlers call")
                .isZero();
    }

    @Test
    void aHandlerThatSucceedsAllTheSameHasSucceeded() {
        Outcome ended = run(context -> {
            cancel();
            return Result.done();
        });
        assertThat(ended).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(Thread.interrupted()).as("left behind").isFalse();
    }

    @Test
    void aHandlerThatAsksToRunAgainIsCancelled() {
        assertThat(run(context -> {
                    cancel();
                    return Result.again(Duration.ofSeconds(1), "busy");
                }))
                .isEqualTo(Outcome.Cancelled.INSTANCE);
        assertThat(run(context -> {
                    cancel();
                    context.snooze(Duration.ofSeconds(1));
                    return Result.done();
                }))
                .isEqualTo(Outcome.Cancelled.INSTANCE);
    }

    @Test
    void aTaskThatWasCancelledBeforeItsRunBeganDoesNotRun() {
        Run run = TestRuns.of(task("pay", ""), 12);
        TestRuns.cancel(run);
        Outcome ended = fixture.run(
                queue().handler("pay", context -> {
                    throw new AssertionError("The handler of a cancelled task began");
                }),
                run);
        assertThat(ended).isEqualTo(Outcome.Cancelled.BEFORE_RUN);
        assertThat(fixture.counters.cancelled.sum()).isEqualTo(1);
    }

    @Test
    void aHandlerThatHasEndedCannotBeCancelled() {
        Attempt[] attempt = new Attempt[1];
        run(context -> {
            attempt[0] = fixture.slot.attempt();
            return Result.done();
        });
        assertThat(attempt[0].cancel()).isFalse();
    }
}
