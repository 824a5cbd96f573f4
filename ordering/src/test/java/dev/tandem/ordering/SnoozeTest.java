package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the core: a task whose handler asks to run again does so without spending an attempt, and its key waits. */
class SnoozeTest {

    @Test
    void itsKeyWaitsAndTheNextRunIsTheSameAttempt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "x2");
        long token = core.run("k0").token();

        core.snoozes("k0", 1_000);

        assertThat(core.running()).containsExactly("x2");
        assertThat(core.store().state(at(0))).isEqualTo(TaskState.RETRY);
        assertThat(core.store().lane("k")).containsExactly(at(1));
        Envelope kept = Envelope.decode("q", core.store().envelope(at(0)));
        assertThat(kept.error()).as("it has not failed").isNull();

        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(1);
        assertThat(core.run("k0").token()).isGreaterThan(token);
        core.snoozes("k0", 0);
        core.passes(1);
        assertThat(core.run("k0").attempt()).isEqualTo(1);

        core.succeeds("k0");
        assertThat(core.running()).contains("k1");
    }

    @Test
    void attemptsBeforeStayCounted() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.fails("k0", 1_000);
        core.passes(1_000);

        core.snoozes("k0", 1_000);
        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(2);

        core.fails("k0", 1_000);
        core.passes(1_000);
        assertThat(core.run("k0").attempt()).isEqualTo(3);
    }

    @Test
    void onlyATaskThatIsPutAsideHasTheMarkAndOnlyUntilItRunsAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.snoozes("k0", 1_000);
        assertThat(isMarked(core)).isFalse();
        core.passes(1_000);

        core.isPutAside("k0", 1_000);
        assertThat(isMarked(core)).isTrue();
        core.passes(1_000);
        core.isPutAside("k0", 1_000);
        assertThat(isMarked(core)).isTrue();
        core.passes(1_000);

        core.snoozes("k0", 1_000);
        assertThat(isMarked(core)).as("it asked for this time itself").isFalse();
        core.passes(1_000);
        core.isPutAside("k0", 1_000);
        core.passes(1_000);
        core.fails("k0", 1_000);
        assertThat(isMarked(core)).as("the time is that of its next attempt").isFalse();
        core.passes(1_000);
        core.isPutAside("k0", 1_000);
        core.passes(1_000);
        core.isUnhandled("k0", 1_700_000_000_000L, 1_000);
        assertThat(isMarked(core)).isFalse();
    }

    @Test
    void whatATaskWaitsForIsKnownUntilItIsTriedAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.waitsFor("k0", "a permit of erp", 1_000);
        assertThat(WaitReason.of(stored(core))).isEqualTo(new WaitReason.Permits(List.of("erp")));
        core.passes(1_000);

        core.waitsFor("k0", "the task q/a", 1_000);
        assertThat(WaitReason.of(stored(core))).isEqualTo(new WaitReason.OtherTask("q/a"));
        core.passes(1_000);
        core.fails("k0", 1_000);
        assertThat(WaitReason.of(stored(core))).isNull();
        core.passes(1_000);
        core.waitsFor("k0", "the task q/a", 1_000);
        core.passes(1_000);
        core.snoozes("k0", 1_000);
        assertThat(WaitReason.of(stored(core))).isNull();
        core.passes(1_000);
        core.waitsFor("k0", "the task q/a", 1_000);
        core.passes(1_000);
        core.isUnhandled("k0", 1_700_000_000_000L, 1_000);
        assertThat(WaitReason.of(stored(core))).isNull();
    }

    private static boolean isMarked(CoreScript core) {
        return PutAside.isMarked(stored(core));
    }

    private static Task stored(CoreScript core) {
        return Envelope.decode("q", core.store().envelope(at(0))).task();
    }

    @Test
    void aNewConnectionKeepsWhenItIsDue() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.snoozes("k0", 5_000);

        core.connectionBreaks();
        core.connects();
        core.passes(5_000);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(1);
    }
}
