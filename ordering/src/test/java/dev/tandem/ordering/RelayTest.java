package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.QueuePolicy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Examples of the core: a key's next task starts at once, under the claim of the one before it. */
class RelayTest {

    @Test
    void aRelayedTaskStartsBeforeItsPredecessorIsRecorded() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.storeStalls();

        core.succeeds("k0");

        assertThat(core.running()).containsExactly("k1");
        assertThat(core.store().isSettled(0)).isFalse();

        // The outcome of k0 brings the claim of k1.
        core.storeAnswers();
        assertThat(core.store().isSettled(0)).isTrue();
        assertThat(core.store().claim(at(1)).token()).isEqualTo(core.run("k1").token());
    }

    @Test
    void aTaskThatTheStoreMayNotKnowOfIsNotRelayed() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeStalls();

        // Nothing was answered since k1 came, so a next owner would not know that it may have begun.
        core.delivers("k1");
        core.succeeds("k0");
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void anotherKeyTakesTheSlotAfterSixteenRelays() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers(IntStream.range(0, 18).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.delivers("x18");

        for (int i = 0; i <= 16; i++) {
            core.succeeds("k" + i);
        }

        assertThat(core.running()).containsExactly("x18");
    }

    @Test
    void outcomesOfAKeyThatAreUnansweredWhileItsTasksAreRelayedAreBounded() {
        int most = CoreScript.SETTINGS.relaysAhead();
        CoreScript core = CoreScript.log().owns();
        core.delivers(IntStream.range(0, most + 2).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.storeStalls();

        for (int i = 0; i < most; i++) {
            core.succeeds("k" + i);
        }
        assertThat(core.running()).containsExactly("k" + most);
        core.succeeds("k" + most);
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k" + (most + 1));
    }

    /** A Redis that has just fallen silent cannot be told from one that is about to answer. */
    @Test
    void theyMayBeManyWhenTheStoreHasJustFallenSilent() {
        CoreScript core = CoreScript.log().owns();
        core.delivers(IntStream.range(0, 200).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.storeStalls();

        for (int i = 0; i < 128; i++) {
            core.passes(i < 100 ? 1 : 0);
            core.succeeds("k" + i);
        }
        assertThat(core.running()).containsExactly("k128");
        core.succeeds("k128");
        assertThat(core.running()).isEmpty();
    }

    @Test
    void unansweredOutcomesAreFewerWhileTheStoreIsSilent() {
        CoreScript core = CoreScript.log().owns();
        core.delivers(IntStream.range(0, 40).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.storeStalls();
        core.passes(101);

        for (int i = 0; i <= 32; i++) {
            core.succeeds("k" + i);
        }

        assertThat(core.running()).isEmpty();
    }

    /** A task that kills its executor is blamed itself the second time, however many were begun before it by relay. */
    @Test
    void afterALapsedClaimTheTasksOfAKeyAreClaimedOneByOne() {
        CoreScript old = CoreScript.log().owns();
        old.delivers("k0", "k1", "k2", "k3");
        old.dies();
        CoreScript core = old.anotherExecutor().owns();
        core.delivers("k0", "k1", "k2", "k3");
        core.passes(2 * CoreScript.SETTINGS.leaseMillis());
        assertThat(core.running()).containsExactly("k0");

        core.storeStalls();
        core.succeeds("k0");
        assertThat(core.running()).isEmpty();
        core.storeAnswers();
        assertThat(core.running()).containsExactly("k1");

        core.storeStalls();
        core.succeeds("k1");
        assertThat(core.running()).isEmpty();
        core.storeAnswers();
        assertThat(core.store().claim(at(2)).token()).isEqualTo(core.run("k2").token());
    }

    // ---- rows ----

    /** The worker may go on from k1 by itself. */
    private static CoreScript withRowFromK1() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2", "k3", "k4");
        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k1");
        return core;
    }

    @Test
    void aWorkerGoesOnWithTheNextTasksOfAKeyByItself() {
        CoreScript core = withRowFromK1();

        assertThat(core.goesOn("k1")).isTrue();
        assertThat(core.goesOn("k2")).isTrue();
        assertThat(core.running()).containsExactly("k3");
        assertThat(core.store().isSettled(1)).isFalse();

        core.hears();
        assertThat(core.store().isSettled(2)).isTrue();
        assertThat(core.store().claim(at(3)).token()).isEqualTo(core.run("k3").token());

        assertThat(core.goesOn("k3")).isTrue();
        assertThat(core.goesOn("k4")).isFalse();
        core.hears();
        assertThat(core.committed()).isEqualTo(5);
    }

    @Test
    void aWorkerGoesOnByItselfForAShortTimeOnly() {
        CoreScript core = withRowFromK1();
        core.passes(CoreScript.SETTINGS.rowMillis());

        assertThat(core.goesOn("k1")).isFalse();
        core.hears();

        assertThat(core.running()).containsExactly("k2");
    }

    @Test
    void aKeyWhoseTasksTakeLongHasNoRow() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");
        core.passes(CoreScript.SETTINGS.rowMillis() + 1);
        core.succeeds("k0");

        assertThat(core.goesOn("k1")).isFalse();
    }

    @Test
    void whatARowHasNotBegunIsParkedBehindAFailedTask() {
        CoreScript core = withRowFromK1();
        core.goesOn("k1");

        core.hears();
        core.fails("k2", 1_000);

        assertThat(core.store().lane("k")).containsExactly(at(3), at(4));
        core.passes(1_000);
        assertThat(core.running()).containsExactly("k2");
    }

    @Test
    void aRowEndsWithTheOwnershipAndWhatItHasBegunIsKnown() {
        CoreScript core = withRowFromK1();
        core.goesOn("k1");

        // The core has not heard that k1 has ended and k2 has begun.
        core.lost();
        assertThat(core.goesOn("k2")).isFalse();

        CoreScript other = core.anotherExecutor().owns();
        other.delivers("k1", "k2", "k3", "k4");
        assertThat(other.running()).isEmpty();

        core.hears();
        other.passes(CoreScript.SETTINGS.leaseMillis());
        assertThat(other.running()).containsExactly("k3");
    }

    @Test
    void whatARowHasBegunIsPresentedAfterABrokenConnection() {
        CoreScript core = withRowFromK1();
        core.storeStalls();
        core.goesOn("k1");

        core.connectionBreaks();
        assertThat(core.run("k2").beginNext(0)).isNull();
        core.storeAnswers();
        core.connects();

        assertThat(core.store().claim(at(2)).token()).isEqualTo(core.run("k2").token());
        core.hears();
        core.succeeds("k2");
        assertThat(core.running()).containsExactly("k3");
    }

    @Test
    void noFurtherTaskOfARowBeginsOnceStartsArePaused() {
        CoreScript core = withRowFromK1();
        core.goesOn("k1");

        core.limitsStarts(0);

        assertThat(core.goesOn("k2")).isFalse();
        core.hears();
        assertThat(core.running()).isEmpty();
        core.unlimitsStarts();
        assertThat(core.running()).containsExactly("k3");
    }

    @Test
    void theRunningTaskOfARowIsAdoptedWhenItLastsLong() {
        CoreScript core = withRowFromK1();
        core.goesOn("k1");
        core.hears();

        core.passes(2 * CoreScript.SETTINGS.horizonMillis());

        assertThat(core.store().holds(at(2))).isTrue();
        assertThat(core.store().lane("k")).containsExactly(at(3), at(4));
        assertThat(core.goesOn("k2")).isFalse();
        core.hears();
        assertThat(core.running()).containsExactly("k3");
    }
}
