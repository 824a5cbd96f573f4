package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.StoreRoom;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Examples of the core: for how long the oldest task has waited that could start. */
class OldestWaitTest {

    private static Map<String, Long> waits(CoreScript core, Run... atGates) {
        return core.core.oldestWaits(Map.of(CoreScript.PARTITION, List.of(atGates)));
    }

    private static Map<String, Long> millis(long millis) {
        return Map.of(CoreScript.PARTITION.name(), millis);
    }

    @Test
    void itGrowsWhileTheOnlySlotIsHeldAndIsNoneWhenNothingWaits() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        assertThat(waits(core)).isEmpty();
        core.delivers("a0");
        core.passes(2_000);
        assertThat(waits(core)).as("it runs").isEmpty();

        core.delivers("b1");
        core.passes(1_500);
        core.delivers("c2");
        core.passes(500);
        assertThat(waits(core)).as("of the older one").isEqualTo(millis(2_000));

        core.succeeds("a0");
        assertThat(waits(core)).as("of the next one").isEqualTo(millis(500));
        core.succeeds("b1");
        core.succeeds("c2");
        assertThat(waits(core)).isEmpty();
    }

    @Test
    void whatWaitsBehindATaskOfItsKeyCouldNotStart() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(2)).owns();
        core.delivers("a0", "a1", "a2");
        core.passes(1_000);
        assertThat(core.running()).containsExactly("a0");
        assertThat(waits(core)).isEmpty();
    }

    @Test
    void aDelayedTaskHasWaitedSinceItsTime() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("a0");
        core.deliversDelayed("b1", 60_000);
        core.passes(10);
        assertThat(waits(core)).as("its time has not come").isEmpty();

        core.deliversDelayed("c2", -5_000);
        core.passes(1_000);
        assertThat(waits(core)).isEqualTo(millis(6_000));
    }

    @Test
    void whatIsKeptBackForWantOfRoomWaitsToo() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.storeHasRoom(StoreRoom.NONE);
        core.delivers("a0");
        core.passes(3_000);
        assertThat(core.running()).isEmpty();
        assertThat(waits(core)).isEqualTo(millis(3_000));
    }

    @Test
    void aRunThatWaitsAtAGateHasNotStarted() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(2)).owns();
        core.delivers("a0");
        core.passes(700);
        Run run = core.run("a0");
        assertThat(waits(core)).isEmpty();
        assertThat(waits(core, run)).isEqualTo(millis(700));

        core.ends(run, Outcome.Succeeded.INSTANCE);
        assertThat(waits(core, run)).as("it is over").isEmpty();
    }

    @Test
    void ofAnotherAttemptOnlyTheTimeCountsSinceItCame() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("a0");
        core.fails("a0", 10_000);
        core.passes(10_000);
        Run again = core.run("a0");
        core.passes(400);
        assertThat(waits(core, again)).isEqualTo(millis(400));
    }

    @Test
    void ofAPartitionThatIsNotOwnedNothingIsKnown() {
        CoreScript core = CoreScript.log(QueuePolicy.ordered(1)).owns();
        core.delivers("a0", "b1");
        core.passes(100);
        assertThat(waits(core)).isNotEmpty();
        core.lost();
        assertThat(waits(core)).isEmpty();
    }
}
