package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Result;
import dev.tandem.api.RetryLaterException;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.SnoozeError;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class OutcomeDeciderTest {

    private final OutcomeDecider decider =
            new OutcomeDecider(RetryPolicy.fixed(Duration.ofSeconds(3)), Set.of(IOException.class));

    private Outcome decide(AttemptEnd end, int attempt, int maxAttempts) {
        return decider.decide(end, attempt, maxAttempts, new Random(1));
    }

    @Test
    void doneIsASuccess() {
        assertThat(decide(new AttemptEnd.Returned(Result.done()), 3, 3)).isEqualTo(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void anExceptionIsRetriedAfterThePolicysDelayAndDescribedWithItsCauses() {
        Outcome outcome = decide(
                new AttemptEnd.Threw(new IllegalStateException("boom", new ArithmeticException("by zero"))), 1, 3);

        assertThat(outcome).asInstanceOf(type(Outcome.Retry.class)).satisfies(retry -> {
            assertThat(retry.delayMillis()).isEqualTo(3_000);
            assertThat(retry.error())
                    .contains("IllegalStateException: boom")
                    .contains("caused by java.lang.ArithmeticException: by zero")
                    .contains("OutcomeDeciderTest");
        });
    }

    @Test
    void aFailureOfTheLastAttemptIsDead() {
        Outcome outcome = decide(new AttemptEnd.Threw(new IllegalStateException("boom")), 3, 3);

        assertThat(outcome)
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead ->
                        assertThat(dead.error()).contains("attempt 3 of 3").contains("boom"));
    }

    @Test
    void anAttemptFailedUnlessItSucceededOrTheTaskIsToBlame() {
        assertThat(decider.failed(new AttemptEnd.Threw(new IllegalStateException("boom"))))
                .isTrue();
        assertThat(decider.failed(new AttemptEnd.Threw(new RetryLaterException(Duration.ofMinutes(1), "busy"))))
                .isTrue();
        assertThat(decider.failed(new AttemptEnd.TimedOut(1_000))).isTrue();
        assertThat(decider.failed(new AttemptEnd.Returned(Result.again(Duration.ofMinutes(5), "busy"))))
                .isTrue();
        assertThat(decider.failed(new AttemptEnd.Returned(Result.done()))).isFalse();
        assertThat(decider.failed(new AttemptEnd.Returned(Result.dead("bad input"))))
                .isFalse();
        assertThat(decider.failed(new AttemptEnd.Threw(new FatalTaskException("bad input"))))
                .isFalse();
        assertThat(decider.failed(new AttemptEnd.Threw(new IOException("of finalErrors"))))
                .isFalse();
        assertThat(decider.failed(new AttemptEnd.Stopped())).isFalse();
    }

    @Test
    void aRetryWithItsOwnDelaySpendsAnAttempt() {
        assertThat(decide(new AttemptEnd.Returned(Result.again(Duration.ofMinutes(5), "busy")), 1, 3))
                .isEqualTo(new Outcome.Retry(300_000, "busy"));
        assertThat(decide(new AttemptEnd.Threw(new RetryLaterException(Duration.ofMinutes(1), "busy")), 1, 3))
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.delayMillis()).isEqualTo(60_000));
        assertThat(decide(new AttemptEnd.Returned(Result.again(Duration.ofMinutes(5), "busy")), 3, 3))
                .isInstanceOf(Outcome.Dead.class);
    }

    /** An exception that is thrown at a bad moment. */
    private static final class TooEarly extends IOException implements SnoozeError {
        @Override
        public Duration delay() {
            return Duration.ofSeconds(2);
        }
    }

    @Test
    void theLongestDelaysCountAsAYear() {
        Duration forever = ChronoUnit.FOREVER.getDuration();

        assertThat(decide(new AttemptEnd.Returned(Result.snooze(forever)), 1, 3))
                .isEqualTo(new Outcome.Snoozed(RetryPolicy.MAX_DELAY_MILLIS));
        assertThat(decide(new AttemptEnd.Returned(Result.again(forever, "no")), 1, 3))
                .isEqualTo(new Outcome.Retry(RetryPolicy.MAX_DELAY_MILLIS, "no"));
        assertThat(decide(new AttemptEnd.Threw(new RetryLaterException(forever, "no")), 1, 3))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class,
                        retry -> assertThat(retry.delayMillis()).isEqualTo(RetryPolicy.MAX_DELAY_MILLIS));
    }

    @Test
    void anExceptionThatSnoozesSpendsNoAttempt() {
        OutcomeDecider lenient = new OutcomeDecider(RetryPolicy.fixed(Duration.ofSeconds(3)), Set.of());
        AttemptEnd end = new AttemptEnd.Threw(new CompletionException(new TooEarly()));

        assertThat(lenient.decide(end, 3, 3, new Random(1))).isEqualTo(new Outcome.Snoozed(2_000));
        assertThat(lenient.failed(end)).isFalse();
        assertThat(lenient.snoozes(new TooEarly())).isTrue();
        assertThat(decide(end, 1, 3)).as("it is among the final errors").isInstanceOf(Outcome.Dead.class);
    }

    @Test
    void delaysAreBounded() {
        assertThat(decide(new AttemptEnd.Returned(Result.again(Duration.ofDays(100_000), "later")), 1, 3))
                .isEqualTo(new Outcome.Retry(RetryPolicy.MAX_DELAY_MILLIS, "later"));
    }

    @Test
    void finalErrorsAreDeadAtOnce() {
        assertThat(decide(new AttemptEnd.Threw(new FatalTaskException("no such order")), 1, 8))
                .isInstanceOf(Outcome.Dead.class);
        assertThat(decide(new AttemptEnd.Threw(new java.io.FileNotFoundException("gone")), 1, 8))
                .as("a subclass of a class that the queue names")
                .isInstanceOf(Outcome.Dead.class);
        assertThat(decide(new AttemptEnd.Returned(Result.dead("rejected")), 1, 8))
                .isEqualTo(new Outcome.Dead("rejected"));
    }

    @Test
    void exceptionsWrappedByFuturesAreUnwrapped() {
        assertThat(decide(new AttemptEnd.Threw(new CompletionException(new FatalTaskException("no"))), 1, 8))
                .isInstanceOf(Outcome.Dead.class);
        assertThat(decide(new AttemptEnd.Threw(new UncheckedIOException(new IOException("an own wrapper"))), 1, 8))
                .isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void aTimeoutIsAFailedAttempt() {
        assertThat(decide(new AttemptEnd.TimedOut(30_000), 1, 8))
                .isEqualTo(new Outcome.Retry(3_000, "timed out after 30000 ms"));
        assertThat(decide(new AttemptEnd.TimedOut(30_000), 8, 8)).isInstanceOf(Outcome.Dead.class);
    }

    @Test
    void aStoppedRunSpendsNoAttempt() {
        assertThat(decide(new AttemptEnd.Stopped(), 8, 8)).isEqualTo(Outcome.NotStarted.INSTANCE);
    }

    @Test
    void errorTextsAreBounded() {
        Throwable huge = new IllegalStateException("x".repeat(10_000));
        assertThat(decide(new AttemptEnd.Threw(huge), 1, 8))
                .asInstanceOf(type(Outcome.Retry.class))
                .satisfies(retry -> assertThat(retry.error()).hasSize(Envelope.MAX_ERROR));
    }
}
