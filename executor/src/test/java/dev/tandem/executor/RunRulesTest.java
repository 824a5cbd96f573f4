package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Result;
import dev.tandem.api.RetryPolicy;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The task's own settings come first, within limits; then those of its type; then those of its queue. */
class RunRulesTest {

    private final RunnerFixture fixture = new RunnerFixture();

    private static Task task(String type, long timeoutMillis, int maxAttempts) {
        return new Task(null, "orders", type, null, new byte[0], Map.of(), 0, 0, timeoutMillis, maxAttempts, null);
    }

    private static QueueSpec.Builder withType(HandlerOptions options) {
        return queue().timeout(Duration.ofSeconds(30)).maxAttempts(8).handler("ship", task -> Result.done(), options);
    }

    @Test
    void aTypeOverridesItsQueue() {
        QueueSpec spec = withType(HandlerOptions.NONE.withTimeout("5s").withMaxAttempts(3))
                .build();

        assertThat(spec.timeoutMillisOf(task("ship", 0, 0))).isEqualTo(5_000);
        assertThat(spec.maxAttemptsOf(task("ship", 0, 0))).isEqualTo(3);
        assertThat(spec.timeoutMillisOf(task("other", 0, 0))).isEqualTo(30_000);
        assertThat(spec.maxAttemptsOf(task("other", 0, 0))).isEqualTo(8);
    }

    @Test
    void aTaskOverridesItsTypeWithinTheLimitsOfTheQueue() {
        QueueSpec spec = withType(HandlerOptions.NONE.withTimeout("5s").withMaxAttempts(3))
                .build();

        assertThat(spec.timeoutMillisOf(task("ship", 1_000, 0))).isEqualTo(1_000);
        assertThat(spec.timeoutMillisOf(task("ship", 20_000, 0))).isEqualTo(20_000);
        assertThat(spec.timeoutMillisOf(task("ship", 60_000, 0))).isEqualTo(30_000);
        assertThat(spec.maxAttemptsOf(task("ship", 0, 1))).isEqualTo(1);
        assertThat(spec.maxAttemptsOf(task("ship", 0, 20))).isEqualTo(8);
    }

    @Test
    void aTypeMayExceedTheLimitsThatBindTasks() {
        QueueSpec spec = withType(HandlerOptions.NONE.withTimeout("5m").withMaxAttempts(20))
                .build();

        assertThat(spec.timeoutMillisOf(task("ship", 0, 0))).isEqualTo(300_000);
        assertThat(spec.timeoutMillisOf(task("ship", 86_400_000, 0))).isEqualTo(300_000);
        assertThat(spec.timeoutMillisOf(task("other", 86_400_000, 0))).isEqualTo(30_000);
        assertThat(spec.maxAttemptsOf(task("ship", 0, 100))).isEqualTo(20);
    }

    @Test
    void aLimitOfTheQueueCountsAlsoWhereTheTypeHasNone() {
        QueueSpec spec = queue().timeout(Duration.ZERO)
                .timeoutLimit(Duration.ofMinutes(5))
                .handler("ship", task -> Result.done())
                .build();

        assertThat(spec.timeoutMillisOf(task("ship", 86_400_000, 0))).isEqualTo(300_000);
        assertThat(spec.timeoutMillisOf(task("ship", 0, 0))).isZero();
    }

    @Test
    void theDefaultTypesOptionsCountForTasksThatNameNoType() {
        QueueSpec spec = withType(HandlerOptions.NONE.withMaxAttempts(3))
                .defaultType("ship")
                .build();

        assertThat(spec.maxAttemptsOf(task(null, 0, 0))).isEqualTo(3);
    }

    @Test
    void delaysAndFinalErrorsAreThoseOfTheType() {
        HandlerOptions options = HandlerOptions.NONE
                .withBackoff(RetryPolicy.fixed(Duration.ofMillis(7)))
                .withDeadOn(ArithmeticException.class);
        QueueSpec.Builder spec = queue().retry(RetryPolicy.fixed(Duration.ofMillis(1_000)))
                .handler(
                        "ship",
                        task -> {
                            if (task.payload().length > 0) {
                                throw new ArithmeticException("final");
                            }
                            throw new IllegalStateException("again");
                        },
                        options)
                .action("other", task -> {
                    throw new ArithmeticException("again");
                });

        assertThat(fixture.run(spec, TestRuns.of(RunnerFixture.task("ship", ""), 1)))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class,
                        retry -> assertThat(retry.delayMillis()).isEqualTo(7));
        assertThat(fixture.run(spec, TestRuns.of(RunnerFixture.task("ship", "x"), 1)))
                .isInstanceOf(Outcome.Dead.class);
        assertThat(fixture.run(spec, TestRuns.of(RunnerFixture.task("other", ""), 1)))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class,
                        retry -> assertThat(retry.delayMillis()).isEqualTo(1_000));
    }

    @Test
    void anAliasRunsTheSameHandlerWithTheSameOptions() {
        QueueSpec spec = withType(HandlerOptions.NONE.withMaxAttempts(3).withAlias("send"))
                .build();

        assertThat(spec.handlers().find("send")).isNotNull();
        assertThat(spec.maxAttemptsOf(task("send", 0, 0))).isEqualTo(3);
    }

    @Test
    void anAliasThatIsTakenIsRefused() {
        QueueSpec.Builder spec = queue().action("send", task -> {});

        assertThatThrownBy(() -> spec.handler("ship", task -> Result.done(), HandlerOptions.NONE.withAlias("send")))
                .hasMessageContaining("two handlers for type 'send'");
    }
}
