package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreRequest.Acquire;
import org.junit.jupiter.api.Test;

/** An owner counts the blocked keys of its partition, and respects their limit. */
class BlockedKeysTest {

    private static final QueuePolicy ONE_BLOCKED_KEY = QueuePolicy.ordered(4).withMaxBlockedKeys(1);

    @Test
    void aNewOwnerLearnsOfAHaltedKeyWhenItsNextTaskIsRefused() {
        CoreScript former = CoreScript.log().owns();
        former.delivers("a0");
        former.dies("a0");
        CoreScript core = former.anotherExecutor().owns();
        assertThat(core.sent(Acquire.class)).hasSize(1);

        core.delivers("a0", "a1", "b2", "a3");

        assertThat(core.running()).containsExactly("b2");
        assertThat(core.store().lane("a")).containsExactly(at(1), at(3));
    }

    @Test
    void atTheBoundNoFurtherKeyStarts() {
        CoreScript core = CoreScript.log(ONE_BLOCKED_KEY).owns();
        core.delivers("a0", "b1");
        core.fails("a0", 5_000);
        core.succeeds("b1");

        core.delivers("c2", "a3", "b4");

        assertThat(core.running()).isEmpty();
        assertThat(core.store().lane("a")).containsExactly(at(3));
    }

    @Test
    void blockedKeysGoOnAtTheBoundAndMakeRoomForOthers() {
        CoreScript core = CoreScript.log(ONE_BLOCKED_KEY).owns();
        core.delivers("a0");
        core.fails("a0", 5_000);
        core.delivers("a1", "b2");

        core.passes(5_000);
        assertThat(core.running()).containsExactly("a0");
        core.succeeds("a0");
        assertThat(core.running()).containsExactly("a1");
        core.succeeds("a1");
        core.passes(CoreScript.SETTINGS.renewMillis());
        assertThat(core.running()).containsExactly("b2");
    }

    @Test
    void aKeyThatBecomesBlockedAtTheBoundIsParked() {
        CoreScript former =
                CoreScript.log(ONE_BLOCKED_KEY.withMaxBlockedKeys(2)).owns();
        former.delivers("a0", "b1");
        former.dies("a0");
        former.fails("b1", 5_000);
        former.revoked();
        CoreScript core = former.anotherExecutor().owns();
        core.delivers("b2", "b3");
        // The new owner does not know yet that the key is blocked, and may not find out by a claim.
        assertThat(core.running()).isEmpty();
        assertThat(core.store().lane("b")).isEmpty();

        core.passes(5_000);

        assertThat(core.running()).containsExactly("b1");
        assertThat(core.store().lane("b")).containsExactly(at(2), at(3));
    }

    @Test
    void aNewOwnerKeepsTheBound() {
        CoreScript former = CoreScript.log(ONE_BLOCKED_KEY).owns();
        former.delivers("a0");
        former.dies("a0");

        CoreScript core = former.anotherExecutor().owns();
        core.delivers("a0", "b1");

        assertThat(core.running()).isEmpty();
    }

    @Test
    void offeredTasksWaitInTheStoreAtTheBound() {
        CoreScript core = CoreScript.log(ONE_BLOCKED_KEY).owns();
        core.deliversDelayed("b0", 1_000);
        core.delivers("a1");
        core.fails("a1", 5_000);

        core.passes(2_000);
        assertThat(core.running()).isEmpty();
        core.passes(3_000);
        core.succeeds("a1");
        core.passes(CoreScript.SETTINGS.renewMillis());
        assertThat(core.running()).containsExactly("b0");
    }
}
