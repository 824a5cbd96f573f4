package dev.tandem.ordering;

import static dev.tandem.ordering.CoreScript.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the core: an operator cancels tasks that wait in memory, or that are claimed and have not begun. */
class CancelledTasksTest {

    /** Cancels the tasks with these names. @return what was found */
    private static List<CancelledTask> cancels(CoreScript core, String... names) {
        List<CancelledTask> found = new ArrayList<>();
        core.turn(() -> found.addAll(core.core.cancel((partition, position, task) ->
                List.of(names).contains(new String(task.payload(), StandardCharsets.US_ASCII)))));
        return found;
    }

    private static void endsWithoutRun(CoreScript core, String name) {
        core.ends(core.ended(name), Outcome.Cancelled.BEFORE_RUN);
    }

    private static SuccessRecord last(CoreScript core) {
        List<SuccessRecord> kept =
                core.store().successes().stream().map(each -> each.success()).toList();
        return kept.get(kept.size() - 1);
    }

    @Test
    void aTaskThatWaitsBehindARunningOneEndsAtOnceAndTheNextKeepsItsTurn() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");

        assertThat(cancels(core, "k1"))
                .extracting(CancelledTask::position, CancelledTask::run)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(at(1), null));

        assertThat(core.store().isSettled(1)).isTrue();
        assertThat(last(core).end()).isEqualTo(TaskEnd.CANCELLED);
        assertThat(last(core).attempt()).isZero();
        assertThat(core.running()).containsExactly("k0");

        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k2");
        core.succeeds("k2");
        core.passes(4_000);
        assertThat(core.committed()).isEqualTo(3);
    }

    @Test
    void aTaskWithoutAKeyNeedsNoSlotToBeCancelled() {
        CoreScript core = CoreScript.queue(QueuePolicy.unordered(1)).owns();
        core.delivers("1", "2", "3");

        assertThat(cancels(core, "2")).hasSize(1);
        assertThat(last(core).end()).isEqualTo(TaskEnd.CANCELLED);

        core.succeeds("1");
        core.succeeds("3");
        assertThat(core.running()).isEmpty();
        assertThat(core.store().successes()).hasSize(3);
    }

    @Test
    void aClaimedTaskEndsWithoutARunAndNobodyBeginsBehindItBeforeThatIsRecorded() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");

        assertThat(cancels(core, "k0"))
                .singleElement()
                .satisfies(task -> assertThat(task.run()).isSameAs(core.run("k0")));
        assertThat(core.run("k0").isCancelled()).isTrue();

        core.storeStalls();
        endsWithoutRun(core, "k0");
        assertThat(core.running()).isEmpty();

        core.storeAnswers();
        assertThat(core.running()).containsExactly("k1");
        assertThat(last(core).end()).isEqualTo(TaskEnd.CANCELLED);
        assertThat(last(core).attempt()).as("attempts that were made").isZero();
        assertThat(last(core).attempts()).isNull();
    }

    @Test
    void aTaskWhoseClaimIsOnItsWayIsCancelledWithThat() {
        CoreScript core = CoreScript.log().owns();
        core.storeStalls();
        core.delivers("k0");

        assertThat(cancels(core, "k0")).hasSize(1);
        core.storeAnswers();

        assertThat(core.run("k0").isCancelled()).isTrue();
    }

    @Test
    void whatRedisHasIsLeftToIt() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1");
        core.fails("k0", 1_000);

        assertThat(cancels(core, "k0", "k1")).as("Redis has both").isEmpty();
    }

    @Test
    void aCancelledTaskStaysCancelledWhenTheConnectionBreaksOnTheWay() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2");
        core.storeStalls();
        cancels(core, "k1");
        core.connectionBreaks();
        core.storeAnswers();
        core.connects();

        assertThat(core.store().isSettled(1)).isTrue();
        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k2");
        assertThat(core.store().successes()).hasSize(2);
    }

    @Test
    void aCancelledTaskIsRecordedOnceWhenOnlyTheAnswerGetsLost() {
        CoreScript core = CoreScript.queue().owns();
        core.delivers("k0", "k1", "k2");
        core.storeStalls();
        cancels(core, "k1");
        core.answersGetLost();
        core.storeAnswers();
        core.connects();

        core.succeeds("k0");
        assertThat(core.running()).containsExactly("k2");
        assertThat(core.store().successes()).hasSize(2);
    }

    @Test
    void noTaskOfARowBeginsThatIsCancelled() {
        CoreScript core = CoreScript.log().owns();
        core.delivers("k0", "k1", "k2", "k3");
        core.succeeds("k0");

        cancels(core, "k2");
        core.goesOn("k1");
        core.hears();

        assertThat(core.running()).containsExactly("k3");
    }
}
