package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.FannedOut;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreAnswer.Custody;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.TokenTime;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.SuccessRecord;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Examples of the core: a task is claimed in the store, runs, and is settled there. */
class StartingAndSettlingTest {

    @Test
    void aTaskStartsWhenItsClaimIsRecorded() {
        CoreScript core = CoreScript.log().owns();

        core.storeStalls();
        core.delivers("k0");
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(1);
        assertThat(core.run("k0").token()).isGreaterThan(core.store().epoch());
    }

    @Test
    void tasksOfAKeyRunOneAtATimeInOrder() {
        CoreScript core = CoreScript.log().owns();

        core.delivers("k0", "k1", "k2");
        assertThat(core.running()).containsExactly("k0");

        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k1");

        core.succeeds("k1");
        assertThat(core.running()).containsExactly("k2");
    }

    @Test
    void aPartitionPausesAtTheMemoryThatItMayHold() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(2)).owns();
        core.delivers("a0", "b1", "c2", "d3");
        assertThat(core.isPaused()).isFalse();

        core.mayHold(core.bytes());
        assertThat(core.isPaused()).isTrue();

        core.succeeds("a0");
        core.succeeds("b1");
        core.succeeds("c2");
        assertThat(core.isPaused()).isFalse();
    }

    @Test
    void noMoreTasksRunThanThePolicyAllows() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(2)).owns();

        core.delivers("a0", "b1", "c2");
        assertThat(core.running()).containsExactly("a0", "b1");

        core.succeeds("a0");
        assertThat(core.running()).containsExactly("b1", "c2");
    }

    @Test
    void aSuccessIsKeptWithTheAttemptsBeforeIt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.run("k0").recordTiming(1_800_000_000_000L, 30);
        core.fails("k0", 0);
        core.passes(1_000);
        core.run("k0").recordTiming(1_800_000_001_000L, 12);
        core.succeeds("k0");

        SuccessRecord kept = core.store().successes().get(0).success();
        assertThat(kept.attempt()).isEqualTo(2);
        assertThat(kept.key()).isEqualTo("k");
        assertThat(kept.startedAt()).isEqualTo(1_800_000_001_000L);
        assertThat(kept.durationMillis()).isEqualTo(12);
        assertThat(AttemptHistory.parse(kept.attempts()))
                .containsExactly(new AttemptRecord(1, 1_800_000_000_000L, 30, kept.executor(), "later"));
    }

    @Test
    void fanOutsAreNotedWithATaskThatRunsAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.run("k0").recordFanOuts(Map.of("a", 100L));
        core.fails("k0", 1_000);
        core.passes(1_000);
        assertThat(FannedOut.keptUntil(core.run("k0").task(), "a")).isEqualTo(100);

        core.run("k0").recordFanOuts(Map.of("a", 200L, "b", 300L));
        core.snoozes("k0", 1_000);
        core.passes(1_000);
        core.fails("k0", 1_000);
        core.passes(1_000);
        assertThat(FannedOut.keptUntil(core.run("k0").task(), "a")).isEqualTo(200);
        assertThat(FannedOut.keptUntil(core.run("k0").task(), "b")).isEqualTo(300);
    }

    @Test
    void aRunThatNeverBeganSpendsNoAttempt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");

        core.neverBegins("k0");

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.run("k0").attempt()).isEqualTo(1);
    }

    @Test
    void aRunThatLostItsClaimNeverBegins() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");

        core.storeStalls();
        core.passes(CoreScript.SETTINGS.renewMillis());
        core.storeAnswers(
                new LeasesRenewed("redis-1", List.of(), List.of(), -1, -1, Custody.NONE, 0, TokenTime.NONE, true));
        assertThat(core.lastSent(RenewLeases.class).positions()).containsExactly(at(0));
        core.storeAnswers(
                new LeasesRenewed("redis-1", List.of(at(0)), List.of(), -1, -1, Custody.NONE, 0, TokenTime.NONE, true));

        assertThat(core.mayBegin("k0")).isFalse();
    }
}
