package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.GrowthCore.Step;
import dev.tandem.task.LogEnds;
import dev.tandem.task.store.PartitionHistory;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how an executor finds out that its log has more partitions, one step after another. */
class GrowthCoreTest {

    private static final PartitionHistory TWO = PartitionHistory.first("topic", 2);
    private static final PartitionHistory THREE = TWO.grown(3, 1_000, 11_000);

    private final GrowthCore core = new GrowthCore(10_000);
    private long now = 1_000;
    private boolean wantsEnds;

    private @Nullable Step next() {
        return core.next(now, now, wantsEnds);
    }

    private void reads(@Nullable PartitionHistory history) {
        assertThat(next()).isEqualTo(new Step.Read());
        core.read(Optional.ofNullable(history), now);
    }

    private void looks(boolean withEnds, int partitions, Long... ends) {
        assertThat(next()).isEqualTo(new Step.LookUp(withEnds));
        core.lookedUp(new LogEnds("topic", partitions, List.of(ends)), now);
    }

    private void start(int partitions, PartitionHistory history) {
        core.knows(partitions, now);
        reads(history);
        looks(history.growths().stream().anyMatch(PartitionHistory.Growth::isOpen), partitions);
    }

    @Test
    void theFirstExecutorRecordsTheCountAndHoldsNobodyUp() {
        assertThat(core.view()).isEqualTo(GrowthView.UNKNOWN);
        core.knows(2, now);
        reads(null);
        assertThat(core.view().isQuiet()).isTrue();
        looks(false, 2);
        assertThat(next()).isEqualTo(new Step.Change(null, TWO, 0));
        core.changed(true, now);
        assertThat(core.view()).isEqualTo(new GrowthView(true, TWO, LogEndLooks.NONE));
        assertThat(next()).isNull();
    }

    @Test
    void withoutAHistoryTasksWaitUntilTheSourceKnowsACount() {
        reads(null);
        assertThat(core.view())
                .as("another executor may record a count, and the log may get more, before this one knows any")
                .isEqualTo(GrowthView.UNKNOWN);

        core.knows(3, now);
        reads(TWO);
        assertThat(core.view().sure()).isFalse();
        looks(false, 3);
        assertThat(next()).isEqualTo(new Step.Change(TWO, TWO.growing(3, 10_000), 0));
    }

    @Test
    void aBrokerThatKnowsLessThanTheSourceIsAskedAgain() {
        start(2, TWO);
        core.knows(3, now);
        reads(TWO);
        looks(false, 2);
        assertThat(core.view().sure()).isFalse();
        assertThat(next()).isNull();
        now += 1_000;
        looks(false, 3);
        assertThat(next()).isEqualTo(new Step.Change(TWO, TWO.growing(3, 10_000), 0));
    }

    @Test
    void tasksGoOnWhenRedisCannotBeAskedForTenSeconds() {
        core.knows(2, now);
        for (int i = 0; i < 10; i++) {
            assertThat(core.view().isQuiet()).isFalse();
            assertThat(next()).isEqualTo(new Step.Read());
            core.failed(now);
            now += 1_000;
        }
        assertThat(next()).isEqualTo(new Step.Read());
        core.failed(now);
        assertThat(core.view().isQuiet()).isTrue();

        now += 1_000;
        reads(THREE);
        assertThat(core.view().sure())
                .as("Redis has answered, and the broker is asked")
                .isFalse();
    }

    @Test
    void itIsUnsureFromTheMomentAtWhichItsSourceKnowsMore() {
        start(2, TWO);
        assertThat(core.view().isQuiet()).isTrue();
        core.knows(3, now);
        assertThat(core.view().sure()).isFalse();
        reads(TWO);
        looks(false, 3);
        assertThat(next()).isEqualTo(new Step.Change(TWO, TWO.growing(3, 10_000), 0));
        core.changed(true, now);
        assertThat(core.view().sure()).as("the store knows the times").isFalse();
        reads(THREE);
        assertThat(core.view()).isEqualTo(new GrowthView(true, THREE, LogEndLooks.NONE));
    }

    @Test
    void whatSomebodyElseRecordedFirstCounts() {
        start(2, TWO);
        core.knows(3, now);
        reads(TWO);
        looks(false, 3);
        assertThat(next()).isInstanceOf(Step.Change.class);
        core.changed(false, now);
        assertThat(core.view().sure()).isFalse();
        PartitionHistory theirs = TWO.grown(3, 900, 10_900);
        reads(theirs);
        assertThat(core.view()).isEqualTo(new GrowthView(true, theirs, LogEndLooks.NONE));
    }

    @Test
    void aBrokerThatIsBehindIsAskedAgain() {
        start(2, THREE);
        assertThat(next()).isNull();
        assertThat(core.view().sure()).isFalse();
        now += 1_000;
        reads(THREE);
        looks(true, 3, 5L, 6L, 0L);
        assertThat(core.view().sure()).isTrue();
    }

    @Test
    void anAnswerFromBeforeADoubtDoesNotCount() {
        start(2, TWO);
        core.doubt(now, 1_000);
        assertThat(next()).isEqualTo(new Step.Read());
        core.doubt(now, 1_000);
        core.read(Optional.of(TWO), now);
        reads(TWO);
        assertThat(next()).as("the broker is asked a second later").isNull();
        now += 1_000;
        looks(false, 2);
        assertThat(core.view().isQuiet()).isTrue();
    }

    @Test
    void endsAreLookedUpWhileTasksWaitAndKeptWhenTheWindowIsOver() {
        start(3, THREE);
        assertThat(next()).isNull();
        wantsEnds = true;
        now += 1_000;
        reads(THREE);
        looks(true, 3, 7L, 8L, 0L);
        assertThat(core.view().series()).isEqualTo(LogEndLooks.NONE.with(List.of(7L, 8L, 0L)));
        wantsEnds = false;
        now = 11_000;
        reads(THREE);
        looks(true, 3, 9L, -1L, 0L);
        assertThat(next()).as("a partition without a leader has no end").isNull();
        now += 1_000;
        reads(THREE);
        looks(true, 3, 9L, 8L, 0L);
        PartitionHistory closed = THREE.closed(THREE.growths().get(0), List.of(9L, 8L, 0L));
        assertThat(next()).isEqualTo(new Step.Change(THREE, closed, 11_000));
        core.changed(true, now);
        assertThat(core.view()).isEqualTo(new GrowthView(true, closed, LogEndLooks.NONE));
    }

    @Test
    void theStoreKnowsWhetherAWindowIsOver() {
        PartitionHistory tenSecondsAhead = TWO.grown(3, 11_000, 21_000);
        start(3, tenSecondsAhead);
        now = 11_000;
        reads(tenSecondsAhead);
        looks(true, 3, 7L, 8L, 0L);
        now += 300;
        PartitionHistory closed =
                tenSecondsAhead.closed(tenSecondsAhead.growths().get(0), List.of(7L, 8L, 0L));
        assertThat(next())
                .as("by the time since; the look began 300 ms ago")
                .isEqualTo(new Step.Change(tenSecondsAhead, closed, 21_300));
        core.changed(false, now);
        reads(tenSecondsAhead);
        assertThat(next()).as("the ends of this look are too old for good").isNull();
        now += 1_000;
        reads(tenSecondsAhead);
        looks(true, 3, 9L, 9L, 0L);
        assertThat(next())
                .isInstanceOfSatisfying(
                        Step.Change.class,
                        change -> assertThat(change.notBefore()).isEqualTo(21_000));
    }

    @Test
    void aTopicThatIsMadeAnewBeginsANewHistory() {
        core.knows(1, now);
        reads(THREE);
        assertThat(next()).isEqualTo(new Step.LookUp(true));
        core.lookedUp(new LogEnds("another", 1, List.of()), now);
        assertThat(next()).isEqualTo(new Step.Change(THREE, PartitionHistory.first("another", 1), 0));
    }

    @Test
    void aStepThatFailsIsTriedAgain() {
        core.knows(2, now);
        assertThat(next()).isEqualTo(new Step.Read());
        assertThat(next()).as("one at a time").isNull();
        core.failed(now);
        assertThat(next()).isNull();
        now += 1_000;
        reads(TWO);
    }
}
