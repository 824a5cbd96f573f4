package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.QueuePolicy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Examples of the core: a key that is slow, or that has more waiting tasks than any bound allows, holds up neither the commit
 * nor another key.
 */
class SlowAndFullLanesTest {

    private static final long UNTIL_DURABLE = SETTINGS.horizonMillis() + 2 * SETTINGS.probeMillis();

    /** Two tasks may be parked behind each key. */
    private static CoreScript withSmallLanes() {
        return CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 10_000, 1 << 20, 2, 100_000, 100_000))
                .owns();
    }

    // ---- slow ----

    @Test
    void aSlowKeyIsParkedSoThatTheCommitMovesOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9");
        core.delivers("x10");
        core.succeeds("x10");

        // Each task takes a second, so none of them is long itself.
        for (int i = 0; i < 4; i++) {
            core.passes(1_000);
            core.succeeds("k" + i);
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k4");
        assertThat(core.committed()).isEqualTo(11);
    }

    @Test
    void aSlowKeyIsParkedWhenItFillsMemory() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 8, 1 << 20, 100, 100, 100))
                .owns();
        core.delivers("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
        assertThat(core.isPaused()).isTrue();

        core.passes(4 * SETTINGS.probeMillis());
        assertThat(core.isPaused()).isFalse();

        core.delivers("x8");
        assertThat(core.running()).containsExactly("k0", "x8");
    }

    @Test
    void aFastKeyWithManyTasksIsNotParkedThoughMemoryIsFull() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 40, 1 << 20, 100, 100, 100))
                .owns();
        core.delivers(IntStream.range(0, 40).mapToObj(i -> "k" + i).toArray(String[]::new));
        assertThat(core.isPaused()).isTrue();

        // At ten tasks a second all would have ended after four seconds. Half of memory is free after two.
        for (int i = 0; i <= 20; i++) {
            core.passes(100);
            core.succeeds("k" + i);
        }

        assertThat(core.isPaused()).isFalse();
        assertThat(core.store().lane("k")).isEmpty();
        assertThat(core.running()).containsExactly("k21");
    }

    @Test
    void aFastKeyThatKeepsMemoryFullIsParkedAfterAHorizon() {
        CoreScript core = CoreScript.log(new QueuePolicy(true, 4, DeadHead.HALT, 40, 1 << 20, 1_000, 1_000, 1_000))
                .owns();
        int next = 0;
        int ended = 0;
        for (int millis = 0;
                millis < 2 * SETTINGS.horizonMillis() && core.store().lane("k").isEmpty();
                millis += 40) {
            while (!core.isPaused()) {
                core.delivers("k" + next++);
            }
            core.passes(40);
            core.succeeds("k" + ended++);
        }

        assertThat(core.store().lane("k")).isNotEmpty();
        assertThat(ended).isGreaterThan((int) SETTINGS.horizonMillis() / 40 - 1);
    }

    @Test
    void tasksThatWaitForASlotAreNotParked() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("x0", "k1", "k2", "k3");
        core.succeeds("x0");
        for (int i = 1; i < 3; i++) {
            core.passes(SETTINGS.horizonMillis() - 1);
            core.succeeds("k" + i);
        }

        assertThat(core.store().holds(at(3))).isFalse();
    }

    // ---- full ----

    @Test
    void whatALaneHasNoRoomForStaysInTheLog() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 600_000);

        core.delivers("k1", "k2", "k3", "k4", "x5", "k6");
        core.succeeds("x5");
        core.passes(UNTIL_DURABLE);

        assertThat(core.isPaused()).isFalse();
        assertThat(core.store().lane("k")).containsExactly(at(1), at(2));
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void whatStayedInTheLogIsReadAgainInOrder() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers(IntStream.rangeClosed(1, 9).mapToObj(i -> "k" + i).toArray(String[]::new));

        core.passes(5_000);
        for (int i = 0; i < 10; i++) {
            core.passes(2 * SETTINGS.retryMillis());
            assertThat(core.running()).containsExactly("k" + i);
            core.succeeds("k" + i);
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.committed()).isEqualTo(10);
    }

    @Test
    void aFailedReadIsTriedAgain() {
        CoreScript core = withSmallLanes();
        core.readsNothingAgain(true);
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers("k1", "k2", "k3", "k4");
        core.passes(5_000);
        for (int i = 0; i < 4; i++) {
            core.succeeds("k" + i);
            core.passes(2 * SETTINGS.retryMillis());
        }
        assertThat(core.running()).isEmpty();
        assertThat(core.recalls()).isNotEmpty();

        core.readsNothingAgain(false);
        core.passes(2 * SETTINGS.retryMillis());
        assertThat(core.running()).containsExactly("k4");
    }

    /** While a recall is on its way, its key fails again, and what was read before is left in the log once more. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    void aLateAnswerToARecallBreaksNoOrder(int failing) {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers(IntStream.rangeClosed(1, 39).mapToObj(i -> "k" + i).toArray(String[]::new));
        core.passes(5_000);

        for (int i = 0; i < 40; i++) {
            core.passes(2 * SETTINGS.retryMillis());
            assertThat(core.running()).containsExactly("k" + i);
            if (i == failing) {
                core.recallsStall(true);
                core.passes(2 * SETTINGS.retryMillis());
                core.fails("k" + i, 5_000);
                core.passes(5_000);
                core.succeeds("k" + i);
                core.passes(2 * SETTINGS.retryMillis());
                core.recallsStall(false);
            } else {
                core.succeeds("k" + i);
            }
        }
        core.passes(UNTIL_DURABLE);

        assertThat(core.committed()).isEqualTo(40);
    }

    @Test
    void aNewOwnerIsGivenWhatStayedInTheLog() {
        CoreScript old = withSmallLanes();
        old.delivers("k0");
        old.fails("k0", 600_000);
        old.delivers("k1", "k2", "k3", "k4");
        old.passes(UNTIL_DURABLE);
        assertThat(old.committed()).isEqualTo(3);
        old.revoked();

        CoreScript core = old.anotherExecutor().owns();
        core.delivers("k3", "k4", "x5");

        assertThat(core.running()).containsExactly("x5");
        core.passes(UNTIL_DURABLE);
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void aHaltedKeyMayHaveAMillionTasksBehindIt() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.dies("k0");

        for (int from = 1; from <= 1_000_000; from += 500) {
            core.delivers(IntStream.range(from, from + 500)
                    .mapToObj(i -> i % 500 == 0 ? "x" + i : "k" + i)
                    .toArray(String[]::new));
            core.running().forEach(core::succeeds);
            assertThat(core.isPaused()).isFalse();
        }

        assertThat(core.running()).isEmpty();
        assertThat(core.store().lane("k")).hasSize(2);
    }
}
