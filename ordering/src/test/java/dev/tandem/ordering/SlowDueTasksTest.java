package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import org.junit.jupiter.api.Test;

/**
 * Examples of the core: a delayed task that runs for long, or a key with many slow ones, holds up no other key. The store has
 * such tasks already, so that only their keys must be blocked.
 */
class SlowDueTasksTest {

    private static final long UNTIL_DURABLE = 2 * SETTINGS.horizonMillis() + 2 * SETTINGS.probeMillis();

    @Test
    void whatWaitsBehindALongDelayedTaskOfALogIsParked() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 1_000);
        core.passes(10_000);
        core.delivers("k1", "k2", "a3", "b4");
        core.succeeds("a3");
        core.succeeds("b4");

        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.store().lane("k")).containsExactly(at(1), at(2));
        assertThat(core.committed()).isEqualTo(5);
        runInOrder(core, "k0", "k1", "k2");
        assertThat(core.store().blocked()).isEmpty();
    }

    @Test
    void whatWaitsBehindALongDelayedTaskOfAMessageQueueIsParkedAndAcked() {
        CoreScript core = CoreScript.queue().owns();
        core.catchesUp();
        core.deliversDelayed("k0", 1_000);
        core.passes(10_000);
        core.delivers("k1", "k2", "a3");
        core.succeeds("a3");

        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.store().lane("k")).hasSize(2);
        assertThat(core.acked()).containsExactlyInAnyOrder("k0", "k1", "k2", "a3");
        runInOrder(core, "k0", "k1", "k2");
    }

    @Test
    void whatWaitsBehindALongRunThatWasOfferedIsParked() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 1_000);
        core.delivers("k1");
        core.passes(1_000);
        core.succeeds("k1");
        assertThat(core.running()).containsExactly("k0");

        core.delivers("k2", "x3");
        core.succeeds("x3");
        core.passes(UNTIL_DURABLE);

        assertThat(core.store().lane("k")).containsExactly(at(2));
        assertThat(core.committed()).isEqualTo(4);
    }

    @Test
    void offersBehindALongRunOfAMessageQueueAreParked() {
        CoreScript core = CoreScript.queue().owns();
        core.catchesUp();
        core.deliversDelayed("k1", 10_000);
        core.passes(9_000);
        core.delivers("k0");

        core.passes(UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.store().lane("k")).hasSize(1);
    }

    @Test
    void aLongDelayedTaskBehindWhichNothingWaitsBlocksNoKey() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 1_000);

        core.passes(60_000);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.sent(TakeCustody.class)).hasSize(1);
        assertThat(core.store().blocked()).isEmpty();
    }

    @Test
    void aSlowKeyOfDelayedTasksIsParkedSoThatTheCommitMovesOn() {
        CoreScript core = CoreScript.log().owns();
        for (int i = 0; i < 20; i++) {
            core.deliversDelayed("k" + i, 1_000);
        }
        core.passes(1_000);
        core.delivers("k20", "x21");
        core.succeeds("x21");

        // Each task takes a second, so none of them is long itself.
        for (int i = 0; i < 8; i++) {
            core.passes(1_000);
            core.running().forEach(core::succeeds);
        }

        assertThat(core.store().state(at(20))).isEqualTo(TaskState.PARKED);
        assertThat(core.committed()).isEqualTo(22);
    }

    @Test
    void manySlowDueTasksOfAKeyHoldUpNoDueTaskOfAnotherKey() {
        CoreScript core = CoreScript.log().owns();
        int delayed = 3_400;
        for (int i = 0; i < delayed; i++) {
            core.deliversDelayed("k" + i, 1_000);
        }
        core.deliversDelayed("z" + delayed, 2_000);

        // Each task takes half a second.
        for (int i = 0; i < 20; i++) {
            core.passes(500);
            core.running().stream().filter(name -> name.startsWith("k")).forEach(core::succeeds);
        }

        assertThat(core.running()).contains("z" + delayed);
        assertThat(core.store().lane("k")).hasSizeGreaterThan(delayed - 30);
    }

    @Test
    void theKeyIsBlockedAgainAfterTheStoreForgotIt() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 1_000);
        core.passes(10_000);
        core.delivers("k1");
        core.storeForgets(() -> core.passes(SETTINGS.horizonMillis()));
        assertThat(core.store().lane("k")).isEmpty();
        core.redisRestarts();
        core.connects();

        core.passes(SETTINGS.leaseMillis() + UNTIL_DURABLE);

        assertThat(core.running()).containsExactly("k0");
        assertThat(core.store().lane("k")).containsExactly(at(1));
        runInOrder(core, "k0", "k1");
    }

    @Test
    void offersOfABusyKeyDoNotKeepTheOwnerFromAskingForOtherDueTasks() {
        CoreScript core = CoreScript.log().owns();
        for (int i = 0; i < 30; i++) {
            core.deliversDelayed("k" + i, 1_000);
        }
        core.deliversDelayed("z30", 1_200);
        core.passes(1_000);
        for (int i = 31; i < 75; i++) {
            core.delivers("" + i);
        }
        for (int i = 31; i < 71; i++) {
            core.succeeds("" + i);
        }
        core.passes(150);
        core.storeStalls();
        core.succeeds("71");
        core.succeeds("72");
        core.delivers("75", "76", "77", "78");
        int asked = core.sent(ClaimDue.class).size();

        core.passes(50);
        core.storeAnswers();

        assertThat(core.sent(ClaimDue.class)).hasSizeGreaterThan(asked);
    }

    // ---- stale offers ----

    @Test
    void anOfferThatWaitsForASlotIsForgottenWhenItsTaskIsClaimed() {
        CoreScript core = CoreScript.log().owns();
        for (int offset = 0; offset < 20; offset++) {
            core.deliversDelayed("" + offset, 1_000);
        }
        core.passes(999);
        for (int offset = 20; offset < 64; offset++) {
            core.delivers("" + offset);
        }
        for (int offset = 20; offset < 60; offset++) {
            core.succeeds("" + offset);
        }
        core.passes(1);

        // The store shows the offers again before there is a slot.
        core.passes(SETTINGS.leaseMillis() / ClaimDue.AHEAD_SHARE + 50);
        core.storeStalls();
        core.succeeds("60");
        core.succeeds("61");
        core.storeAnswers();
        assertThat(core.running()).contains("1");
        assertThat(core.run("1").attempt()).isEqualTo(1);

        core.fails("1", 60_000);
        while (!core.running().isEmpty()) {
            assertThat(core.running()).doesNotContain("1");
            core.running().forEach(core::succeeds);
            core.passes(1_000);
        }
        assertThat(core.store().state(at(1))).isEqualTo(TaskState.RETRY);

        core.passes(60_000);
        assertThat(core.run("1").attempt()).isEqualTo(2);
    }

    private static void runInOrder(CoreScript core, String... names) {
        for (String name : names) {
            assertThat(core.running()).containsExactly(name);
            core.succeeds(name);
        }
        assertThat(core.running()).isEmpty();
    }
}
