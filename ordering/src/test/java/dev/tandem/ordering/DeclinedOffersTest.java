package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.SETTINGS;
import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreRequest.DeclineOffers;
import dev.tandem.task.store.StoreRoom;
import org.junit.jupiter.api.Test;

/** Examples of the core: tasks that the store offers while their keys have no room. */
class DeclinedOffersTest {

    private static final long HOURS = 36_000_000;

    /** Two tasks may be parked behind each key. */
    private static CoreScript withSmallLanes() {
        return withSmallLanes(DeadHead.HALT);
    }

    private static CoreScript withSmallLanes(DeadHead policy) {
        return CoreScript.log(new QueuePolicy(true, 4, policy, 10_000, 1 << 20, 2, 100_000, 100_000))
                .owns();
    }

    @Test
    void delayedTasksOfAFullLaneHoldUpNoDelayedTaskOfAnotherKey() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.dies("k0");
        core.delivers("k1", "k2");
        int delayed = 2 * PartitionState.MAX_OFFERED;
        for (int i = 3; i < delayed; i++) {
            core.deliversDelayed("k" + i, 1_000);
        }
        core.deliversDelayed("x" + delayed, 2_000);

        core.passes(3_000);

        assertThat(core.running()).containsExactly("x" + delayed);
        assertThat(core.store().lane("k")).hasSize(2);
    }

    @Test
    void offersThatAreGivenBackComeAgainLessAndLessOften() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.dies("k0");
        core.delivers("k1", "k2");
        core.deliversDelayed("k3", 1_000);

        core.passes(8 * SETTINGS.leaseMillis());

        assertThat(core.sent(DeclineOffers.class)).hasSizeBetween(3, 5);
        assertThat(core.store().state(at(3))).isEqualTo(TaskState.SCHEDULED);
    }

    @Test
    void retriedTasksOfAFullLaneAreOfferedEverMoreSeldom() {
        CoreScript core = withDeadBeforeAFullLane(DeadHead.SKIP);
        int leases = 100;

        core.retriesDead(at(0));
        core.retriesDead(at(1));
        core.passes(leases * SETTINGS.leaseMillis());

        // After 1, 1, 2, 4, 8, 16 and then 30 leases each.
        assertThat(core.sent(DeclineOffers.class)).hasSizeBetween(7, 12);
        assertThat(core.store().state(at(0))).isEqualTo(TaskState.RETRY);
        assertThat(core.store().lane("k")).hasSize(2);
    }

    @Test
    void aRetriedTaskIsOfferedAgainAfterALeaseIfItsKeyHadRoomForLong() {
        CoreScript core = withDeadBeforeAFullLane(DeadHead.SKIP);
        core.retriesDead(at(0));
        core.passes(HOURS);
        assertThat(lastDelay(core)).isEqualTo(30 * SETTINGS.leaseMillis());
        while (core.store().blocked("k") != null || !core.running().isEmpty()) {
            core.running().forEach(core::succeeds);
            core.passes(SETTINGS.leaseMillis());
        }
        core.passes(61 * SETTINGS.leaseMillis());

        core.delivers("k6");
        core.fails("k6", HOURS);
        core.delivers("k7", "k8", "k9");
        core.retriesDead(at(1));

        assertThat(lastDelay(core)).isEqualTo(SETTINGS.leaseMillis());
    }

    private static long lastDelay(CoreScript core) {
        return core.lastSent(DeclineOffers.class).offers().get(0).delayMillis();
    }

    @Test
    void retriedTasksThatDiedWithTheirHeadAreGivenBackToo() {
        CoreScript core = withDeadBeforeAFullLane(DeadHead.DRAIN);

        core.retriesDead(at(1));

        assertThat(core.sent(DeclineOffers.class)).hasSize(1);
    }

    /** Two dead tasks, and behind them a full lane whose head is not due for hours. */
    private static CoreScript withDeadBeforeAFullLane(DeadHead policy) {
        CoreScript core = withSmallLanes(policy);
        core.delivers("k0", "k1");
        core.dies("k0");
        if (policy == DeadHead.SKIP) {
            core.dies("k1");
        }
        core.delivers("k2");
        core.fails("k2", HOURS);
        core.delivers("k3", "k4", "k5");
        assertThat(core.store().dead()).containsExactlyInAnyOrder(at(0), at(1));
        assertThat(core.store().lane("k")).containsExactly(at(3), at(4));
        return core;
    }

    @Test
    void anOfferThatWasGivenBackIsParkedOnceThereIsRoom() {
        CoreScript core = withSmallLanes();
        core.delivers("k0");
        core.fails("k0", 5_000);
        core.delivers("k1", "k2");
        core.deliversDelayed("k3", 1_000);
        core.passes(5_000);
        assertThat(core.sent(DeclineOffers.class)).isNotEmpty();

        core.succeeds("k0");
        core.passes(2 * SETTINGS.leaseMillis());

        assertThat(core.store().lane("k")).containsExactly(at(2), at(3));
    }

    @Test
    void delayedTasksOfABlockedKeyHoldUpNoOtherWhileTheStoreHasNoRoom() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.dies("k0");
        int delayed = 2 * PartitionState.MAX_OFFERED;
        for (int i = 1; i < delayed; i++) {
            core.deliversDelayed("k" + i, 1_000);
        }
        core.deliversDelayed("x" + delayed, 2_000);
        core.storeHasRoom(StoreRoom.NONE);

        core.passes(3_000);

        assertThat(core.running()).containsExactly("x" + delayed);
    }
}
