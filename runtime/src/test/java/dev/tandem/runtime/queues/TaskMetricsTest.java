package dev.tandem.runtime.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.RunMeasurement;
import dev.tandem.task.Outcome;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TaskMetricsTest {

    private static final Outcome SUCCEEDED = Outcome.Succeeded.INSTANCE;
    private static final Outcome RETRIED = new Outcome.Retry(1_000, "away");
    private static final Outcome DEAD = new Outcome.Dead("gone");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TaskMetrics metrics = TaskMetrics.of(registry);

    private static RunMeasurement run(String type, int attempt, Outcome outcome, long waitMillis, boolean scheduled) {
        return new RunMeasurement(
                "orders", type, attempt, outcome, Duration.ofMillis(20).toNanos(), waitMillis, scheduled);
    }

    private static RunMeasurement run(int attempt, Outcome outcome) {
        return run("ship", attempt, outcome, RunMeasurement.UNKNOWN, false);
    }

    private double total(String name) {
        return registry.get(name)
                .tags("queue", "orders", "type", "ship")
                .timer()
                .totalTime(TimeUnit.MILLISECONDS);
    }

    @Test
    void aWaitIsEitherLatenessOrNot() {
        metrics.ended(run("ship", 1, SUCCEEDED, 250, false));
        metrics.ended(run("ship", 1, RETRIED, 50, false));
        metrics.ended(run("ship", 1, SUCCEEDED, 7, true));

        assertThat(total("tandem.task.wait")).isEqualTo(300);
        assertThat(total("tandem.task.lateness")).isEqualTo(7);
    }

    @Test
    void anUnknownWaitIsNotMeasured() {
        metrics.ended(run(2, SUCCEEDED));

        assertThat(registry.find("tandem.task.wait").timer()).isNull();
        assertThat(registry.find("tandem.task.lateness").timer()).isNull();
    }

    @Test
    void attemptsAreThoseOfTasksThatEnded() {
        metrics.ended(run(1, RETRIED));
        metrics.ended(run(2, SUCCEEDED));
        metrics.ended(run(1, SUCCEEDED));
        metrics.ended(run(8, DEAD));

        assertThat(registry.get("tandem.task.attempts")
                        .tag("outcome", "succeeded")
                        .summary()
                        .totalAmount())
                .isEqualTo(3);
        assertThat(registry.get("tandem.task.attempts")
                        .tag("outcome", "dead")
                        .summary()
                        .totalAmount())
                .isEqualTo(8);
        assertThat(registry.get("tandem.task.attempts").summaries()).hasSize(2);
        assertThat(registry.get("tandem.task.run")
                        .tag("outcome", "retried")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void theHistogramsHaveBuckets() {
        metrics.ended(run("ship", 3, SUCCEEDED, 250, false));

        assertThat(registry.get("tandem.task.wait").timer().takeSnapshot().histogramCounts())
                .hasSize(9);
        assertThat(registry.get("tandem.task.run").timer().takeSnapshot().histogramCounts())
                .hasSize(8);
        assertThat(registry.get("tandem.task.attempts").summary().takeSnapshot().histogramCounts())
                .hasSize(6);
    }

    @Test
    void aPublisherCannotMakeAnyNumberOfMeters() {
        for (int i = 0; i < 2 * TaskMetrics.MOST_TYPES; i++) {
            metrics.ended(run("type-" + i, 1, SUCCEEDED, 1, false));
        }

        assertThat(registry.get("tandem.task.run").timers()).hasSize(TaskMetrics.MOST_TYPES + 1);
        assertThat(registry.get("tandem.task.run").tag("type", "other").timer().count())
                .isEqualTo(TaskMetrics.MOST_TYPES);
    }

    @Test
    void typesThatAreNotHandledAreCountedTogether() {
        TaskMetrics known = new TaskMetrics(registry, Map.of(), Set.of("ship"));
        known.ended(run("ship", 1, SUCCEEDED, 1, false));
        known.ended(run("made-up", 1, SUCCEEDED, 1, false));

        assertThat(registry.get("tandem.task.run").timers())
                .extracting(timer -> timer.getId().getTag("type"))
                .containsExactlyInAnyOrder("ship", "other");
    }
}
