package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreRequest.TakeCustody;
import org.junit.jupiter.api.Test;

/** Examples of the core: the broker has custody of a task until it has succeeded, or the store has it durably. */
class HandOverAndCommitTest {

    /** Longer than a horizon and the probe after it. */
    private static final long UNTIL_DURABLE = SETTINGS.horizonMillis() + SETTINGS.probeMillis();

    @Test
    void anOffsetIsCommittedOnlyUpToTheFirstUnsettledTask() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0", "b1", "c2");

        core.succeeds("a0");
        core.succeeds("c2");
        assertThat(core.committed()).isEqualTo(1);

        core.succeeds("b1");
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void aHandOverIsCommittedOnlyWhenDurable() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");

        core.fails("k0", 60_000);
        core.passes(SETTINGS.horizonMillis() - 1);
        assertThat(core.committed()).isZero();

        core.passes(SETTINGS.probeMillis() + 1);
        assertThat(core.committed()).isEqualTo(1);
    }

    @Test
    void aLongRunIsAdoptedSoThatTheCommitMovesOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "x1");
        core.succeeds("x1");

        core.passes(SETTINGS.horizonMillis());
        assertThat(core.store().holds(at(0))).isTrue();

        core.passes(UNTIL_DURABLE);
        assertThat(core.running()).containsExactly("k0");
        assertThat(core.committed()).isEqualTo(2);
    }

    @Test
    void aForgottenHandOverIsSentAgain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");

        core.storeForgets(() -> core.fails("k0", 60_000));
        assertThat(core.store().holds(at(0))).isFalse();
        core.redisRestarts();
        core.connects();

        assertThat(core.store().holds(at(0))).isTrue();
        assertThat(core.committed()).isZero();
    }

    @Test
    void aStoreWithoutRoomIsAskedAgainLater() {
        CoreScript core = CoreScript.log().owns();
        core.storeIsFull(true);

        core.deliversDelayed("k0", 60_000);
        assertThat(core.sent(TakeCustody.class)).hasSize(1);

        core.storeIsFull(false);
        core.passes(SETTINGS.retryMillis());
        assertThat(core.sent(TakeCustody.class)).hasSize(2);
        assertThat(core.store().holds(at(0))).isTrue();
    }
}
