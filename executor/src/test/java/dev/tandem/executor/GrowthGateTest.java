package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.LookBack.Ask;
import dev.tandem.task.store.LookBack.State;
import dev.tandem.task.store.PartitionHistory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which runs of partition 0 wait when a log grows from 2 to 3 partitions. Key "3" was in partition 1 and is in 0 now. */
class GrowthGateTest {

    private static final PartitionHistory OPEN =
            PartitionHistory.first("topic", 2).grown(3, 1_000, 2_000);

    private static final PartitionHistory CLOSED = OPEN.closed(OPEN.growths().get(0), List.of(10L, 20L, 30L));

    private final ManualClock clock = new ManualClock();
    private final GrowthModel model = new GrowthModel();
    private final List<Runnable> later = new ArrayList<>();
    private final List<Run> again = new ArrayList<>();
    private final ScriptedSource source = new ScriptedSource();
    private final GrowthGate gate;

    GrowthGateTest() {
        source.growing = model;
        gate = new GrowthGate(
                QueueSpec.queue("orders")
                        .source(source)
                        .store(model)
                        .policy(QueuePolicy.ordered(4))
                        .build(),
                clock,
                later::add);
    }

    private static Run run(String key, long offset) {
        return TestRuns.of(Task.of("orders", key, new byte[0]), offset);
    }

    private boolean waits(Run run) {
        return gate.mustWait(run, () -> again.add(run));
    }

    @Test
    void nobodyIsConcernedWhileTheLogDoesNotGrow() {
        gate.know(new GrowthView(true, PartitionHistory.first("topic", 2), LogEndLooks.NONE));
        assertThat(gate.concerns(run("3", 0).task())).isFalse();
        gate.know(new GrowthView(true, CLOSED, LogEndLooks.NONE));
        assertThat(gate.concerns(run("3", 0).task())).isTrue();
        assertThat(gate.concerns(run("6", 0).task())).as("it stays").isFalse();
    }

    @Test
    void aTaskOfAMovedKeyRunsWhenItsFormerPartitionIsClear() {
        gate.know(new GrowthView(true, CLOSED, LogEndLooks.NONE));
        Run run = run("3", 5);

        assertThat(waits(run)).isTrue();

        assertThat(again).containsExactly(run);
        assertThat(model.questions).containsExactly(new LookBack("topic", List.of(new Ask("3", 20)), -1));
        assertThat(waits(run)).isFalse();
        assertThat(gate.mayRun(run)).isTrue();
        assertThat(gate.takeOutcome(run)).isNull();
        assertThat(waits(run("3", 6)))
                .as("nothing of the key comes there any more")
                .isFalse();
        assertThat(model.questions).hasSize(1);
        assertThat(gate.heldTasks()).isZero();
    }

    @Test
    void itIsHeldForLongerTheLongerItWaits() {
        gate.know(new GrowthView(true, CLOSED, LogEndLooks.NONE));
        model.states = ask -> State.UNSETTLED;
        assertThat(heldFor(run("3", 5))).isEqualTo(500);
        assertThat(gate.heldTasks()).isOne();
        clock.advance(4_000);
        assertThat(heldFor(run("3", 5))).isEqualTo(1_000);
        clock.advance(600_000);
        assertThat(heldFor(run("3", 5))).isEqualTo(15_000);
        model.states = ask -> State.CLEAR;
        assertThat(heldFor(run("3", 5))).isNull();
        assertThat(gate.heldTasks()).isZero();
    }

    private @Nullable Long heldFor(Run run) {
        assertThat(waits(run)).isTrue();
        return gate.takeOutcome(run) instanceof Outcome.Snoozed snoozed ? snoozed.delayMillis() : null;
    }

    @Test
    void whilePublishersMayUseTheFormerCountItWaitsForEndsThatWereTakenBehindIt() {
        LogEndLooks one = LogEndLooks.NONE.with(List.of(6L, 11L, 0L));
        gate.know(new GrowthView(true, OPEN, one));
        Run run = run("3", 5);
        assertThat(waits(run)).isFalse();
        assertThat(gate.takeOutcome(run)).isEqualTo(Outcome.Snoozed.waitingFor(new WaitReason.FormerPartition(), 500));
        assertThat(gate.wantsEnds()).isTrue();

        gate.endsLookedUp();
        gate.know(new GrowthView(true, OPEN, one.with(List.of(8L, 12L, 0L))));
        assertThat(heldFor(run)).isNull();
        assertThat(model.questions).containsExactly(new LookBack("topic", List.of(new Ask("3", 12)), -1));
        assertThat(waits(run("3", 7)))
                .as("published behind the first look, so the second is none behind it")
                .isFalse();
        assertThat(gate.wantsEnds()).isTrue();
    }

    @Test
    void aRunWaitsWhileNobodyKnowsHowManyPartitionsThereAre() {
        Run known = run("6", 1);
        Run forLong = run("3", 2);
        assertThat(waits(known)).isTrue();
        gate.know(new GrowthView(true, PartitionHistory.first("topic", 2), LogEndLooks.NONE));
        assertThat(again).containsExactly(known);

        gate.know(new GrowthView(false, PartitionHistory.first("topic", 2), LogEndLooks.NONE));
        assertThat(waits(run("6", 3))).as("where its key belongs in any case").isFalse();
        assertThat(waits(forLong)).as("in no partition of its key").isTrue();
        clock.advance(3_000);
        later.forEach(Runnable::run);
        assertThat(again).containsExactly(known, forLong);
        assertThat(gate.mayRun(forLong)).isFalse();
        assertThat(gate.takeOutcome(forLong)).isInstanceOf(Outcome.Snoozed.class);
    }
}
