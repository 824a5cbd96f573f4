package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the core: delayed tasks that fall due. */
class DueTasksTest {

    /** The least weight of a task without payload and headers. */
    private static final int BARE = 160;

    @Test
    void aTaskOfAnIdleKeyIsClaimedByTheRequestThatFindsItDue() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);

        core.passes(5_000);
        assertThat(core.running()).containsExactly("k0");
        assertThat(core.sent(SettleAndClaim.class)).isEmpty();

        core.succeeds("k0");
        assertThat(core.store().holds(at(0))).isFalse();
        assertThat(core.store().blocked()).isEmpty();
    }

    @Test
    void aTaskWhoseKeyIsBusyWaitsForItsTurn() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);
        core.delivers("k1", "k2");

        core.passes(5_000);
        assertThat(last(core).busyKeys()).containsExactly("k");
        assertThat(core.running()).containsExactly("k1");

        core.succeeds("k1");
        core.succeeds("k2");
        assertThat(core.running()).containsExactly("k0");
    }

    private static boolean isGiven(CoreScript core, long offset) {
        String partition = CoreScript.PARTITION.name();
        return core.core.report(partition, new TaskAt(partition, at(offset)), "").stream()
                .anyMatch(PartitionReport::hasAny);
    }

    @Test
    void twoTasksOfAnIdleKeyRunInTheOrderOfTheirDueTimes() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_001);
        core.deliversDelayed("k1", 5_000);
        core.storeStalls();
        core.passes(6_000);
        core.storeAnswers();
        assertThat(core.running()).containsExactly("k1");

        core.succeeds("k1");
        assertThat(core.running()).containsExactly("k0");
    }

    /** Batches are given out short when runs have all slots. */
    @Test
    void slotsThatAreHeldWhileDueTasksAreAskedForAreNotThoseOfRuns() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);
        core.passes(4_999);
        core.storeStalls();
        core.passes(1);
        assertThat(core.core.running()).as("all are held for what may be due").isEqualTo(4);
        assertThat(core.core.areAllSlotsOfRuns()).isFalse();

        core.connectionBreaks();
        core.storeAnswers();
        core.connects();
        core.delivers("a1", "b2");
        assertThat(core.running()).hasSize(3);
        assertThat(core.core.areAllSlotsOfRuns()).isFalse();
        core.delivers("c3");
        assertThat(core.core.areAllSlotsOfRuns()).isTrue();
        core.succeeds("c3");
        assertThat(core.core.areAllSlotsOfRuns()).isFalse();
    }

    @Test
    void whatIsDeliveredBeforeTheAnswerWaitsForIt() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);
        core.passes(4_999);
        core.storeStalls();
        core.passes(1);

        core.delivers("k1", "x2");
        assertThat(claims(core)).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactlyInAnyOrder("k0", "x2");
        core.succeeds("k0");
        assertThat(core.running()).containsExactlyInAnyOrder("x2", "k1");
    }

    @Test
    void whatIsHeldGoesOnAfterALostConnection() {
        CoreScript core = CoreScript.log().owns();
        core.deliversDelayed("k0", 5_000);
        core.passes(4_999);
        core.storeStalls();
        core.passes(1);
        core.delivers("x1");

        core.connectionBreaks();
        core.storeAnswers();
        core.connects();
        assertThat(core.running()).containsExactlyInAnyOrder("x1", "k0");
    }

    @Test
    void tasksWithoutAKeyAreTakenAheadOfSlotsWhileManyRunInAShortTime() {
        CoreScript core = CoreScript.log().owns();
        delay(core, 0, 20);
        core.passes(999);
        run(core, 20, 40);
        assertThat(isGiven(core, 0)).isFalse();

        core.passes(1);
        assertThat(isGiven(core, 0)).as("the store offered it").isTrue();
        assertThat(last(core).maxClaims()).isZero();
        assertThat(last(core).maxAhead()).isEqualTo(40);
        assertThat(core.running()).containsExactly("60", "61", "62", "63");

        core.succeeds("60");
        assertThat(claims(core)).last().isEqualTo(at(0));
        assertThat(core.running()).containsExactly("61", "62", "63", "0");
    }

    @Test
    void whatTheStoreGaveIsCountedAsInMemoryWhereverItWaitsOrRuns() {
        CoreScript core = CoreScript.log();
        assertThat(inMemory(core)).as("not owned").isEmpty();
        core.owns();
        assertThat(inMemory(core)).containsExactly(0);
        core.delivers("k0", "k1");
        assertThat(inMemory(core)).as("one runs, one waits").containsExactly(2);
        core.succeeds("k0");
        core.succeeds("k1");

        delay(core, 2, 20);
        assertThat(inMemory(core)).as("the store has them").containsExactly(0);
        core.passes(999);
        run(core, 22, 40);
        core.passes(1);
        assertThat(inMemory(core))
                .as("four delivered tasks run, 20 offers wait")
                .containsExactly(24);
        long bytes = bytesInMemory(core);
        assertThat(bytes).isGreaterThanOrEqualTo(24L * BARE);

        core.succeeds("62");
        assertThat(core.running()).hasSize(4).startsWith("63", "64", "65");
        assertThat(inMemory(core)).as("an offer runs").containsExactly(23);
        assertThat(bytesInMemory(core)).isBetween(23L * BARE, bytes - BARE);
    }

    private static long bytesInMemory(CoreScript core) {
        return core.core.report("", EveryTask.INSTANCE, "").get(0).bytes();
    }

    private static List<Integer> inMemory(CoreScript core) {
        return core.core.report("", EveryTask.INSTANCE, "").stream()
                .map(PartitionReport::matching)
                .toList();
    }

    @Test
    void tasksWithoutAKeyAreNotTakenAheadOfSlotsWhileFewRun() {
        CoreScript core = CoreScript.log().owns();
        delay(core, 0, 20);
        run(core, 20, 40);

        core.passes(1_000);
        assertThat(core.sent(ClaimDue.class)).isEmpty();

        core.succeeds("60");
        assertThat(last(core).maxClaims()).isEqualTo(1);
        assertThat(last(core).maxAhead()).isEqualTo(1);
        assertThat(core.running()).containsExactly("61", "62", "63", "0");
    }

    @Test
    void aHeadThatIsDueWaitsForASlotAndIsNotAskedForInVain() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0");
        core.fails("k0", 1_000);
        core.passes(999);
        run(core, 1, 40);

        core.passes(1);
        int asked = core.sent(ClaimDue.class).size();
        core.passes(50);
        assertThat(core.sent(ClaimDue.class)).hasSize(asked);

        core.succeeds("41");
        assertThat(core.running()).contains("k0");
    }

    @Test
    void aTaskThatIsDueAgainDoesNotWaitForAllThatIsInMemory() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("a0");
        core.fails("a0", 1_000);
        core.delivers("b1", "c2", "d3", "e4", "f5", "g6");

        for (int i = 0; i < 4; i++) {
            core.passes(1_000);
            core.succeeds(core.running().get(0));
        }

        assertThat(core.store().holds(at(0))).as("it ran among the first").isFalse();
    }

    @Test
    void tasksInMemoryDoNotWaitForAllThatIsDue() {
        CoreScript core = CoreScript.log().owns();
        delay(core, 0, 20);
        core.passes(1_000);
        List<String> started = new ArrayList<>(core.running());
        core.delivers("a20", "b21", "c22", "d23");

        for (int i = 0; i < 16; i++) {
            core.succeeds(core.running().get(0));
            started.addAll(core.running());
        }

        assertThat(started).contains("a20", "b21", "c22", "d23");
    }

    @Test
    void aTaskThatIsDueAgainDoesNotWaitForTheEndOfABusyKey() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("a0");
        core.fails("a0", 1_000);
        for (int i = 1; i < 40; i++) {
            core.delivers("b" + i);
        }

        for (int i = 0; i < 25; i++) {
            core.passes(1_000);
            core.succeeds(core.running().get(0));
        }

        assertThat(core.store().holds(at(0))).isFalse();
    }

    /** Delivers tasks without a key that are due after a second. */
    private static void delay(CoreScript core, int from, int count) {
        for (int offset = from; offset < from + count; offset++) {
            core.deliversDelayed("" + offset, 1_000);
        }
    }

    /** Runs so many tasks without a key at once, and lets four more run. */
    private static void run(CoreScript core, int from, int count) {
        for (int offset = from; offset < from + count + 4; offset++) {
            core.delivers("" + offset);
        }
        for (int offset = from; offset < from + count; offset++) {
            core.succeeds("" + offset);
        }
    }

    private static ClaimDue last(CoreScript core) {
        List<ClaimDue> sent = core.sent(ClaimDue.class);
        return sent.get(sent.size() - 1);
    }

    private static List<Position> claims(CoreScript core) {
        return core.sent(SettleAndClaim.class).stream()
                .flatMap(request -> request.claims().stream())
                .map(Claim::position)
                .toList();
    }
}
