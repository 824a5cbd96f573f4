package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreAnswer.Custody;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRoom;
import org.junit.jupiter.api.Test;

/** Examples of the core: the store has no room for more tasks. What it has goes on, and the rest waits in the broker. */
class CustodyRoomTest {

    private static final TaskEntry ENTRY = Entries.delivered("k", 0);

    @Test
    void noFreshTaskStartsWhileThereIsNoRoom() {
        CoreScript core = CoreScript.log().owns();
        core.storeHasRoom(StoreRoom.NONE);

        core.delivers("a0", "1");
        assertThat(core.running()).isEmpty();

        core.storeHasRoom(StoreRoom.HALF);
        assertThat(core.running()).containsExactlyInAnyOrder("a0", "1");
    }

    @Test
    void tasksThatTheStoreHasGoOn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.fails("k0", 5_000);
        core.storeHasRoom(StoreRoom.NONE);
        core.delivers("x2");

        core.passes(5_000);
        assertThat(core.running()).containsExactly("k0");

        core.succeeds("k0");
        assertThat(core.running()).as("parked behind k0").containsExactly("k1");
    }

    @Test
    void noKeyRelaysToItsNextTask() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.storeHasRoom(StoreRoom.NONE);

        core.succeeds("k0");
        assertThat(core.running()).isEmpty();

        core.storeHasRoom(StoreRoom.HALF);
        assertThat(core.running()).containsExactly("k1");
    }

    @Test
    void nothingIsScheduledOrParked() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.storeHasRoom(StoreRoom.NONE);
        core.fails("k0", 60_000);
        core.deliversDelayed("d1", 60_000);
        core.delivers("k2");
        assertThat(core.sent(TakeCustody.class)).isEmpty();

        core.storeHasRoom(StoreRoom.HALF);
        assertThat(core.store().holds(at(1))).isTrue();
        assertThat(core.store().lane("k")).containsExactly(at(2));
    }

    @Test
    void aFreshTaskStartsIfAStoredOneWaitsForIt() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);
        core.storeHasRoom(StoreRoom.NONE);
        core.delivers("k1", "x2");
        assertThat(core.running()).isEmpty();

        core.passes(5_000);
        assertThat(core.running()).containsExactly("k1");

        core.succeeds("k1");
        assertThat(core.running()).containsExactly("k0");
    }

    @Test
    void thePartitionsBoundCountsTasks() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(4), new CustodyBounds(2, 1 << 20))
                .owns();
        core.delivers("a0", "b1");
        core.fails("a0", 5_000);
        core.fails("b1", 60_000);

        core.delivers("c2");
        assertThat(core.running()).isEmpty();

        core.passes(5_000);
        core.succeeds("a0");
        assertThat(core.running()).containsExactly("c2");
    }

    @Test
    void thePartitionsBoundCountsBytes() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(4), new CustodyBounds(1_000, 7))
                .owns();
        core.deliversDelayed("a0", 60_000);
        core.passes(CoreScript.SETTINGS.renewMillis());

        core.delivers("c1");

        assertThat(core.running()).isEmpty();
    }

    @Test
    void bytesAreCountedBetweenEstimates() {
        CustodyRoom room = new CustodyRoom(new CustodyBounds(1_000, 1_000));
        room.counted(new Custody(10, 900));
        assertThat(room.isLeft()).isTrue();

        room.taken(ENTRY);
        room.counted(new Custody(11, Custody.NOT_ESTIMATED));
        assertThat(room.isLeft()).as("%d bytes more", ENTRY.weight()).isFalse();

        room.counted(new Custody(5, Custody.NOT_ESTIMATED));
        assertThat(room.isLeft()).as("others removed six of average size").isTrue();

        room.counted(new Custody(5, 2_000));
        assertThat(room.isLeft())
                .as("an estimate counts more than what was counted")
                .isFalse();

        room.counted(new Custody(0, Custody.NOT_ESTIMATED));
        room.counted(new Custody(20, Custody.NOT_ESTIMATED));
        assertThat(room.isLeft()).as("nothing is known of what others added").isTrue();
    }

    @Test
    void moreThanHalfIsLeftOnlyIfTheMemoryOfTheStoreSaysSoToo() {
        CustodyRoom room = new CustodyRoom(new CustodyBounds(1_000, 1_000));
        assertThat(room.isHalfLeft()).isTrue();

        room.store(StoreRoom.SOME);
        assertThat(room.isHalfLeft()).isFalse();
        assertThat(room.isLeft()).isTrue();

        room.store(StoreRoom.NONE);
        assertThat(room.isLeft()).isFalse();

        room.store(StoreRoom.HALF);
        room.counted(new Custody(500, 1));
        assertThat(room.isHalfLeft()).isFalse();
        room.counted(new Custody(499, 499));
        assertThat(room.isHalfLeft()).isTrue();
        room.counted(new Custody(499, 500));
        assertThat(room.isHalfLeft()).isFalse();
    }

    @Test
    void freshTasksStartWhileLessThanHalfIsLeft() {
        CoreScript core = CoreScript.log().owns();
        core.storeHasRoom(StoreRoom.SOME);

        core.delivers("a0", "a1");
        core.fails("a0", 60_000);
        core.delivers("b2");

        assertThat(core.running()).containsExactly("b2");
        assertThat(core.store().lane("a")).containsExactly(at(1));
    }

    @Test
    void aNewOwnerLearnsTheCountWithItsFirstRenewal() {
        CoreScript first = CoreScript.log(QueuePolicy.ordered(4), new CustodyBounds(1, 1 << 20))
                .owns();
        first.deliversDelayed("a0", 60_000);
        first.revoked();
        CoreScript second = first.anotherExecutor().owns();
        second.passes(CoreScript.SETTINGS.renewMillis());

        second.delivers("b1");

        assertThat(second.running()).isEmpty();
    }

    @Test
    void limitedStartsGoToFailedTasksFirst() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("a0");
        core.fails("a0", 5_000);
        core.limitsStarts(0);
        core.delivers("b1", "c2");
        core.passes(5_000);
        assertThat(core.running()).isEmpty();

        core.limitsStarts(1);
        assertThat(core.running()).containsExactly("a0");
        core.limitsStarts(1);
        assertThat(core.running()).containsExactlyInAnyOrder("a0", "b1");

        core.unlimitsStarts();
        assertThat(core.running()).containsExactlyInAnyOrder("a0", "b1", "c2");
    }

    @Test
    void aStartThatDidNotComeAboutDoesNotCount() {
        CoreScript core = CoreScript.log().owns();
        core.limitsStarts(1);
        core.delivers("a0", "b1");

        core.neverBegins("a0");

        assertThat(core.running()).hasSize(1);
    }
}
