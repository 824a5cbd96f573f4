package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.store.PausedTasks;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tasks of paused types and keys are put aside, and others are not. */
class PauseGateTest {

    private final ManualClock clock = new ManualClock();
    private PausedTasks paused = PausedTasks.NONE;
    private final PauseGate gate = new PauseGate(RunnerFixture.queue().build(), () -> paused, clock);
    private long offset;

    private Run run(@Nullable String type, @Nullable String key) {
        return TestRuns.of(task(type, key), ++offset);
    }

    private static Task task(@Nullable String type, @Nullable String key) {
        return new Task(null, "orders", type, key, new byte[0], Map.of(), 0, 0, 0, 0, null);
    }

    private @Nullable Outcome outcome(Run run) {
        assertThat(gate.mustWait(run, () -> {})).isFalse();
        assertThat(gate.mayRun(run)).isNotEqualTo(gate.takeOutcome(run) != null);
        gate.mustWait(run, () -> {});
        return gate.takeOutcome(run);
    }

    @Test
    void onlyTasksOfPausedTypesAndKeysArePutAside() {
        paused = new PausedTasks(Set.of("mail"), Set.of("acme"));

        assertThat(outcome(run("mail", "a"))).isInstanceOf(Outcome.Snoozed.class);
        assertThat(outcome(run("ship", "acme"))).isInstanceOf(Outcome.Snoozed.class);
        assertThat(outcome(run("ship", "b"))).isNull();
        assertThat(outcome(run("ship", null))).isNull();
        assertThat(gate.concerns(task("ship", "b"))).isFalse();
    }

    @Test
    void manyTasksLookAgainOneAfterAnother() {
        paused = PausedTasks.ofType("mail");
        long last = 0;
        for (int i = 0; i < 1_000; i++) {
            Run next = run("mail", null);
            gate.mustWait(next, () -> {});
            long delay = ((Outcome.Snoozed) gate.takeOutcome(next)).delayMillis();
            assertThat(delay).isGreaterThan(last).isBetween(10_000L, 900_000L);
            last = delay;
        }
    }

    @Test
    void tasksThatHaveFailedBeforeLookAgainOneAfterAnotherToo() {
        paused = PausedTasks.ofType("mail");
        long last = 0;
        for (int i = 0; i < 1_000; i++) {
            Run second = TestRuns.of(task("mail", null), ++offset, 2, TestRuns.FOREVER);
            gate.mustWait(second, () -> {});
            long delay = ((Outcome.Snoozed) gate.takeOutcome(second)).delayMillis();
            assertThat(delay).isGreaterThan(last).isBetween(10_000L, 900_000L);
            last = delay;
        }
    }

    @Test
    void theOutcomeSaysThatAResumptionMakesTheTaskDue() {
        paused = PausedTasks.ofType("mail");

        assertThat(outcome(run("mail", null)))
                .isInstanceOfSatisfying(
                        Outcome.Snoozed.class,
                        snoozed -> assertThat(snoozed.putAside()).isTrue());
    }

    @Test
    void decisionIsFoundAgainBehindAResumption() {
        paused = PausedTasks.ofType("mail");
        Run aside = run("mail", "a");
        gate.mustWait(aside, () -> {});
        paused = PausedTasks.NONE;

        assertThat(gate.concerns(aside.task())).isTrue();
        assertThat(gate.takeOutcome(aside)).isNotNull();
        assertThat(gate.concerns(aside.task())).isFalse();
    }
}
