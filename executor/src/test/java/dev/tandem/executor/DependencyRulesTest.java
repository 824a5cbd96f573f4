package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Outcome;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyAnswer.State;
import dev.tandem.task.store.DependencyPolicy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whether a task may run that waits for others. */
class DependencyRulesTest {

    private static final long HOUR = 3_600_000;
    private static final DependencyAnswer SUCCEEDED = new DependencyAnswer(State.SUCCEEDED, "a-1", 0);
    private static final DependencyAnswer FAILED = new DependencyAnswer(State.FAILED, "a-1", 0);

    private boolean strict;

    private static DependencyAnswer open(long waitedMillis) {
        return new DependencyAnswer(State.OPEN, "a-1", waitedMillis);
    }

    private static DependencyAnswer unknown(long waitedMillis) {
        return new DependencyAnswer(State.UNKNOWN, "", waitedMillis);
    }

    private @Nullable Outcome decide(Policy policy, @Nullable DependencyAnswer... answers) {
        List<BusinessId> on =
                List.of(new BusinessId("q", "a"), new BusinessId("q", "b")).subList(0, answers.length);
        DependencyRules rules = new DependencyRules(new DependencyPolicy(Policy.DIE, HOUR, strict));
        return rules.decide(new TaskDependencies(on, policy, 0), Arrays.asList(answers));
    }

    private static Outcome waits(String id, long millis) {
        return Outcome.Snoozed.waitingFor(new WaitReason.OtherTask(id.toString()), millis);
    }

    @Test
    void aTaskRunsWhenAllThatItWaitsForHaveSucceeded() {
        assertThat(decide(Policy.DIE, SUCCEEDED, SUCCEEDED)).isNull();
        assertThat(decide(Policy.DIE, SUCCEEDED, open(0))).isEqualTo(waits("q/b", 1_000));
        assertThat(decide(Policy.DIE, unknown(0), SUCCEEDED)).isEqualTo(waits("q/a", 1_000));
    }

    @Test
    void aTaskThatWaitsLooksAgainMoreAndMoreSeldomAndBeforeItsTimeIsOver() {
        assertThat(decide(Policy.DIE, open(10_000))).isEqualTo(waits("q/a", 5_000));
        assertThat(decide(Policy.DIE, open(HOUR / 2))).isEqualTo(waits("q/a", 180_000));
        assertThat(decide(Policy.DIE, open(HOUR - 7))).isEqualTo(waits("q/a", 7));
    }

    @Test
    void whatBecomesOfItAfterAFailureIsItsPolicy() {
        assertThat(decide(Policy.DIE, open(0), FAILED))
                .isEqualTo(new Outcome.Dead("waited for q/b, but that task (a-1) died, expired or was cancelled"));
        assertThat(decide(Policy.WAIT, FAILED)).isEqualTo(waits("q/a", 1_000));
        assertThat(decide(Policy.RUN, FAILED)).isNull();
        assertThat(decide(Policy.RUN, FAILED, open(0))).isEqualTo(waits("q/b", 1_000));
    }

    @Test
    void whenItsTimeIsOverItDiesOrRuns() {
        assertThat(decide(Policy.DIE, open(HOUR)))
                .isEqualTo(new Outcome.Dead("waited PT1H for q/a, but that task (a-1) has not ended"));
        assertThat(decide(Policy.WAIT, SUCCEEDED, unknown(HOUR))).isInstanceOfSatisfying(Outcome.Dead.class, dead -> {
            assertThat(dead.error()).startsWith("waited PT1H for q/b, but nothing is known of it");
        });
        assertThat(decide(Policy.RUN, unknown(HOUR))).isNull();
    }

    @Test
    void aStrictQueueRefusesWhatIsNotKnown() {
        strict = true;
        assertThat(decide(Policy.RUN, unknown(0)))
                .isEqualTo(new Outcome.Dead("waits for q/a, of which nothing is known: submit that task first, or set"
                        + " dependencies.unknown: wait"));
        assertThat(decide(Policy.RUN, open(0))).isEqualTo(waits("q/a", 1_000));
    }

    @Test
    void withoutAnAnswerItNeitherRunsNorDies() {
        assertThat(decide(Policy.DIE, SUCCEEDED, null))
                .isEqualTo(Outcome.Snoozed.waitingFor(
                        new WaitReason.Other("an answer of Redis about what it depends on"), 5_000));
    }
}
