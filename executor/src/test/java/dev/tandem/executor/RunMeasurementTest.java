package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Result;
import dev.tandem.api.RetryLaterException;
import dev.tandem.api.RunOutcome;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of what is measured of an attempt, and of what interceptors can tell of its end. */
class RunMeasurementTest {

    private static final long UNKNOWN = RunMeasurement.UNKNOWN;

    private final RunnerFixture fixture = new RunnerFixture();
    private final List<RunMeasurement> measured = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>();
    private final List<Outcome> concluded = new ArrayList<>();
    private final List<Optional<Duration>> waited = new ArrayList<>();
    private final List<RunOutcome> outcomes = new ArrayList<>();

    private final ExecutorMetrics metrics = new ExecutorMetrics() {
        @Override
        public void ended(RunMeasurement each) {
            measured.add(each);
        }

        @Override
        public void started(String queue, long waitMillis) {
            starts.add(waitMillis);
        }

        @Override
        public void concluded(String queue, Outcome outcome) {
            concluded.add(outcome);
        }
    };

    private Task task(long publishedBefore, long dueBefore) {
        long now = fixture.clock.wallMillis();
        long notBefore = dueBefore == UNKNOWN ? 0 : now - dueBefore;
        long publishedAt = publishedBefore == UNKNOWN ? 0 : now - publishedBefore;
        return new Task(null, "orders", "pay", "k", new byte[0], Map.of(), publishedAt, notBefore, 0, 0, null);
    }

    private RunMeasurement measure(Run run) {
        QueueSpec.Builder spec = queue().action("pay", task -> {
            waited.add(task.waited());
            fixture.clock.advance(7);
            waited.add(task.waited());
        });
        fixture.runner(spec, metrics).run(run, fixture.slot);
        return measured.get(0);
    }

    @Test
    void aTaskWaitsFromItsPublicationToItsStart() {
        RunMeasurement run = measure(TestRuns.of(task(250, UNKNOWN), 1));

        assertThat(run)
                .isEqualTo(new RunMeasurement("orders", "pay", 1, Outcome.Succeeded.INSTANCE, 7_000_000, 250, false));
        assertThat(waited).containsOnly(Optional.of(Duration.ofMillis(250)));
        assertThat(starts).containsExactly(250L);
        assertThat(concluded).containsExactly(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aTaskWithAnEarliestStartWaitsFromThen() {
        RunMeasurement run = measure(TestRuns.of(task(60_000, 40), 1));

        assertThat(run.waitMillis()).isEqualTo(40);
        assertThat(run.scheduled()).isTrue();
    }

    @Test
    void aPublisherWhoseClockIsAheadMakesNoNegativeWait() {
        assertThat(measure(TestRuns.of(task(-5_000, UNKNOWN), 1)).waitMillis()).isZero();
    }

    @Test
    void aTaskThatEndsWithoutAHandlerDoesNotStart() {
        TaskRunner runner = fixture.runner(queue().action("pay", task -> {}).maxAttempts(3), metrics);
        runner.run(TestRuns.of(task(250, UNKNOWN), 1, 4, TestRuns.FOREVER), fixture.slot);

        assertThat(starts).isEmpty();
        assertThat(measured).isEmpty();
        assertThat(concluded).hasOnlyElementsOfType(Outcome.Dead.class).hasSize(1);
    }

    @Test
    void theWaitOfALaterAttemptIsNotKnown() {
        assertThat(measure(TestRuns.of(task(250, UNKNOWN), 1, 2, TestRuns.FOREVER)))
                .extracting(RunMeasurement::attempt, RunMeasurement::waitMillis)
                .containsExactly(2, UNKNOWN);
        assertThat(waited).containsOnly(Optional.empty());
    }

    @Test
    void theWaitOfATaskThatAnOperatorRetriedIsNotKnown() {
        Task retried = AttemptHistory.with(task(250, UNKNOWN), new AttemptRecord(8, 5, 1, "web-1", "no"));

        assertThat(measure(TestRuns.of(retried, 1)).waitMillis()).isEqualTo(UNKNOWN);
    }

    @Test
    void theWaitOfATaskWithoutATimeOfPublicationIsNotKnown() {
        assertThat(measure(TestRuns.of(task(UNKNOWN, UNKNOWN), 1)).waitMillis()).isEqualTo(UNKNOWN);
    }

    private RunOutcome outcome(Result result) {
        return outcome(result, 1);
    }

    private RunOutcome outcome(Result result, int attempt) {
        QueueSpec.Builder spec = queue().maxAttempts(3).interceptor((task, next) -> {
            Result ended = next.handle(task);
            outcomes.add(RunOutcome.of(task, ended));
            return ended;
        });
        fixture.run(spec.handler("pay", task -> result), TestRuns.of(task(0, 0), 1, attempt, TestRuns.FOREVER));
        return outcomes.remove(0);
    }

    private RunOutcome outcome(Exception failure, int attempt) {
        QueueSpec.Builder spec = queue().maxAttempts(3)
                .finalErrors(Set.of(IOException.class))
                .interceptor((task, next) -> {
                    try {
                        return next.handle(task);
                    } catch (Exception e) {
                        outcomes.add(RunOutcome.of(task, e));
                        throw e;
                    }
                })
                .handler("pay", task -> {
                    throw failure;
                });
        Outcome decided = fixture.run(spec, TestRuns.of(task(0, 0), 1, attempt, TestRuns.FOREVER));
        RunOutcome seen = outcomes.remove(0);
        assertThat(decided).isInstanceOf(seen == RunOutcome.DEAD ? Outcome.Dead.class : Outcome.Retry.class);
        return seen;
    }

    @Test
    void anInterceptorSeesTheOutcomeThatTheExecutorDecides() {
        assertThat(outcome(Result.done())).isEqualTo(RunOutcome.SUCCEEDED);
        assertThat(outcome(Result.dead("no"))).isEqualTo(RunOutcome.DEAD);
        assertThat(outcome(Result.again(Duration.ZERO, "later"))).isEqualTo(RunOutcome.RETRIED);
        assertThat(outcome(Result.snooze(Duration.ZERO), 1)).isEqualTo(RunOutcome.SNOOZED);
        assertThat(outcome(Result.snooze(Duration.ZERO), 3))
                .as("of the last attempt")
                .isEqualTo(RunOutcome.SNOOZED);

        assertThat(outcome(new IllegalStateException(), 1)).isEqualTo(RunOutcome.RETRIED);
        assertThat(outcome(new IllegalStateException(), 3)).isEqualTo(RunOutcome.DEAD);
        assertThat(outcome(new IOException("dead-on"), 1)).isEqualTo(RunOutcome.DEAD);
        assertThat(outcome(new java.util.concurrent.ExecutionException(new IOException("dead-on")), 1))
                .isEqualTo(RunOutcome.DEAD);
        assertThat(outcome(new RetryLaterException(Duration.ofSeconds(1), "later"), 1))
                .isEqualTo(RunOutcome.RETRIED);
    }

    @Test
    void anInterruptedAttemptIsNoneOfThem() {
        QueueSpec.Builder spec = queue().interceptor((task, next) -> {
                    Result ended = next.handle(task);
                    outcomes.add(RunOutcome.of(task, ended));
                    return ended;
                })
                .action("pay", task -> fixture.slot.attempt().stop());

        fixture.run(spec, TestRuns.of(task(0, 0), 1));

        assertThat(outcomes).containsExactly(RunOutcome.INTERRUPTED);
    }
}
