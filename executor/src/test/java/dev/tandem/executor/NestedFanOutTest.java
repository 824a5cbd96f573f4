package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutException;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.store.FanOutIds;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Subtasks that fan out themselves, and their copies. */
class NestedFanOutTest extends FanOutTestBase {

    @Test
    void aSubtaskThatFannedOutEndsWithItsFanOutThoughAnotherRunOfItDoesNotComeThere() {
        open(1, "orders");
        Run first = subtask(0, 1, null);
        assertThatThrownBy(() -> new AttemptFanOuts(first, spec)
                        .fanOut(
                                Stream.of(1, 2, 3).map(each -> {
                                    if (each == 3) {
                                        throw new IllegalStateException("a database is away");
                                    }
                                    return TaskRequest.of("orders", "row", each);
                                }),
                                FanOut.withoutFinalTask()))
                .hasMessage("a database is away");
        ends(first, new Outcome.Retry(10, "a database is away"));
        String inner = store.requests(FanOutRequest.Open.class).get(0).id();

        ends(subtask(0, 2, null), Outcome.Succeeded.INSTANCE);

        assertThat(store.view(ID).ended()).as("two of its own subtasks run").isZero();
        assertThat(store.view(inner).stop()).isEqualTo(Stop.ABANDONED);
        fanOuts.tell(new FanOutRequest.Tell(inner, 0, End.SUCCEEDED, null), answer -> {});
        fanOuts.tell(new FanOutRequest.Tell(inner, 1, End.CANCELLED, null), answer -> {});
        await().untilAsserted(() -> assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE));
        assertThat(store.view(ID).failed()).isEqualTo(1);
    }

    @Test
    void aSubtaskThatFansOutHasEndedWhenItsOwnRunHasAndAllThatItPublished() throws InterruptedException {
        open(2, "orders");
        Run first = subtask(0, 1, null);
        Run second = subtask(1, 1, null);
        String early = fansOutTo(first);
        String late = fansOutTo(second);
        allSucceed(early);
        ends(second, Outcome.Succeeded.INSTANCE);

        assertThat(store.view(ID).ended())
                .as("the handler of one runs on behind its fan-out, and subtasks of the other do")
                .isZero();
        assertThat(store.finals()).isEmpty();
        assertThat(store.view(early).awaitsOnlyMaster()).isTrue();

        ends(first, Outcome.Succeeded.INSTANCE);
        allSucceed(late);
        await().untilAsserted(() -> assertThat(store.finals()).hasSize(1));
        assertThat(store.view(ID).succeeded()).isEqualTo(2);
    }

    @Test
    void whenARunIsRepeatedTheEndOfAnEarlierOneDoesNotEndTheSubtask() throws InterruptedException {
        open(1, "orders");
        Run frozen = subtask(0, 1, null);
        String inner = fansOutTo(frozen);
        Run repeated = TestRuns.redelivered(frozen);
        fansOut(repeated);
        allSucceed(inner);
        ends(frozen, Outcome.Succeeded.INSTANCE);

        assertThat(store.view(inner).phase())
                .as("its process woke up, and the other one runs it")
                .isEqualTo(Phase.SEALED);
        assertThat(store.finals()).isEmpty();

        ends(repeated, Outcome.Succeeded.INSTANCE);
        await().untilAsserted(() -> assertThat(store.finals()).hasSize(1));
    }

    @Test
    void aSubtaskThatDiesBehindItsFanOutHasFailedThoughItsOwnSubtasksSucceed() throws InterruptedException {
        open(1, "orders");
        Run run = subtask(0, 1, null);
        String inner = fansOutTo(run);
        ends(run, new Outcome.Retry(10, "no such table"));
        allSucceed(inner);
        assertThat(store.view(ID).ended()).as("it waits for its next attempt").isZero();

        ends(TestRuns.redelivered(run), new Outcome.Dead("no such table"));

        await().untilAsserted(() -> assertThat(store.finals()).hasSize(1));
        assertThat(store.view(ID).errors())
                .singleElement()
                .satisfies(each -> assertThat(each.error()).contains("no such table"));
        assertThat(store.view(inner).stop()).as("it had ended its stream").isEqualTo(Stop.NO);
    }

    @Test
    void ifTheEndOfARunIsForgottenAPatrolLooksAtTheMaster() throws InterruptedException {
        open(1, "orders");
        String inner = fansOutTo(subtask(0, 1, null));
        allSucceed(inner);

        assertThat(store.model.due(store.now + 59_999)).doesNotContain(inner);
        assertThat(store.model.due(store.now + 60_000)).contains(inner);
    }

    /** The next run had ended without coming to the fan-out, which it knew of, and nobody had begun. */
    @ParameterizedTest
    @EnumSource
    void aRunThatWasFrozenBeforeItBeganItsFanOutPublishesNothing(End end) {
        open(2, "orders");
        store.beforeOpen = own -> store.apply(new FanOutRequest.Tell(ID, 0, end, "error", own.id()));
        AttemptFanOuts frozen = new AttemptFanOuts(subtask(0, 1, null), spec);

        assertThatThrownBy(
                        () -> frozen.fanOut(Stream.of(TaskRequest.of("orders", "row", 0)), FanOut.withoutFinalTask()))
                .hasMessageContaining("has ended");

        assertThat(frozen.isOfCopy()).isTrue();
        assertThat(store.published).isEmpty();
        String own = store.requests(FanOutRequest.Open.class).get(0).id();
        assertThat(store.view(own).total()).as("its fan-out is given up").isZero();
    }

    private String fansOutTo(Run run) throws InterruptedException {
        int before = store.requests(FanOutRequest.Open.class).size();
        assertThat(fansOut(run)).isEqualTo(5);
        return store.requests(FanOutRequest.Open.class).get(before).id();
    }

    private void allSucceed(String fanOut) {
        for (int i = 0; i < 5; i++) {
            fanOuts.tell(new FanOutRequest.Tell(fanOut, i, End.SUCCEEDED, null), answer -> {});
        }
    }

    @Test
    void anEndIsRecordedOnlyWhenItsOwnFanOutIsGivenUp() {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        store.lostAnswers.add(FanOutRequest.Abandon.class);
        AtomicBoolean mayBeRecorded = new AtomicBoolean();
        gate.ended(subtask(0, 2, null), new Outcome.Dead("no such file"), () -> mayBeRecorded.set(true));

        assertThat(mayBeRecorded)
                .as("if this process dies now, another run follows")
                .isFalse();
        await().untilTrue(mayBeRecorded);
        assertThat(store.view(inner).why()).contains("no such file");
        assertThat(store.requests(FanOutRequest.Abandon.class)).hasSize(2);
    }

    @Test
    void aCopyOfASubtaskThatHasFannedOutEndsAsItsDuplicate() throws InterruptedException {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        Run copy = copy();
        AttemptFanOuts attempt = new AttemptFanOuts(copy, spec);
        assertThatThrownBy(() -> attempt.fanOut(Stream.of(), FanOut.withoutFinalTask()))
                .isInstanceOf(FanOutException.class)
                .hasMessageContaining("has fanned out, as " + inner);
        assertThat(attempt.isOfCopy()).isTrue();
        ends(copy, new Outcome.Duplicate("row-0"));

        assertThat(store.requests(FanOutRequest.Open.class)).hasSize(1);
        assertThat(store.view(inner).stop()).as("it goes on").isEqualTo(Stop.NO);
        assertThat(store.view(ID).ended()).isZero();

        Run next = subtask(0, 2, null);
        assertThat(fansOut(next)).isEqualTo(5);
        allSucceed(inner);
        ends(next, Outcome.Succeeded.INSTANCE);
        await().untilAsserted(() -> assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE));
        assertThatThrownBy(() -> fansOut(copy()))
                .as("late")
                .isInstanceOf(FanOutException.class)
                .hasMessageContaining("has ended");
        assertThat(fansOut(subtask(0, 3, null)))
                .as("the run of the first one is repeated")
                .isEqualTo(5);
    }

    /** Returns a run of the subtask 0 at another place. */
    private static Run copy() {
        return copy(subtask(0, 1, null).task(), 1);
    }

    private static Run copy(Task task, int attempt) {
        return TestRuns.of(task, 7, attempt, TestRuns.FOREVER);
    }

    @Test
    void whenASubtaskHasDiedNoCopyOfItFansOutAndItDoesIfAnOperatorRetriesIt() throws InterruptedException {
        open(1, "orders");
        ends(subtask(0, 1, null), new Outcome.Dead("no such file"));

        AttemptFanOuts copy = new AttemptFanOuts(copy(), spec);
        assertThatThrownBy(() -> copy.fanOut(Stream.of(), FanOut.withoutFinalTask()))
                .hasMessageContaining("A copy of subtask 0");
        assertThat(copy.isOfCopy()).as("it ends as a duplicate").isTrue();
        String failedOnce = "1\t0\t0\texecutor\tno such file";
        for (Run mayBeTheOne : List.of(copy(subtask(0, 1, failedOnce).task(), 1), subtask(0, 2, null))) {
            AttemptFanOuts again = new AttemptFanOuts(mayBeTheOne, spec);
            assertThatThrownBy(() -> again.fanOut(Stream.of(), FanOut.withoutFinalTask()))
                    .as("its executor may have died before it was recorded as dead")
                    .isInstanceOf(FatalTaskException.class)
                    .hasMessageContaining("retry it if it is to fan out");
            assertThat(again.isOfCopy()).isFalse();
        }
        assertThat(store.requests(FanOutRequest.Open.class)).isEmpty();

        Run retried = TestRuns.of(RetriedByOperator.with(subtask(0, 1, null).task()), 0);
        assertThat(fansOut(retried)).isEqualTo(5);
    }

    @Test
    void whenASubtaskWasCancelledNoCopyOfItFansOut() {
        open(2, "orders");
        ends(subtask(0, 1, null), Outcome.Cancelled.INSTANCE);

        AttemptFanOuts copy = new AttemptFanOuts(copy(), spec);
        assertThatThrownBy(() -> copy.fanOut(Stream.of(), FanOut.withoutFinalTask()))
                .hasMessageContaining("has ended");
        assertThat(copy.isOfCopy()).isTrue();
        assertThat(store.requests(FanOutRequest.Open.class)).isEmpty();
    }

    @Test
    void whenTheFanOutOfASubtaskHasFailedNoCopyOfItFansOut() throws InterruptedException {
        open(2, "orders");
        assertThat(fansOut(subtask(0, 1, null))).isEqualTo(5);
        String inner = store.requests(FanOutRequest.Open.class).get(0).id();
        store.apply(new FanOutRequest.Tell(ID, 0, End.FAILED, null, inner));

        assertThatThrownBy(() -> fansOut(copy())).hasMessageContaining("A copy of subtask 0");
        assertThat(fansOut(subtask(0, 2, null)))
                .as("the run of the first one is repeated")
                .isEqualTo(5);
    }

    @Test
    void aCopyThatDoesNotComeToItsFanOutLeavesThatOfTheOtherOne() {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        ends(copy(), Outcome.Cancelled.INSTANCE);

        assertThat(store.view(inner).stop()).isEqualTo(Stop.NO);
        assertThat(store.view(ID).ended()).isZero();
    }

    @Test
    void theFanOutOfACopyIsGivenUpIfRedisForgetsThatItWasTheFirst() {
        open(2, "orders");
        Run run = subtask(0, 1, null);
        String inner = breaksOff(run);
        store.apply(new FanOutRequest.Tell(ID, 0, End.FAILED, null, inner));
        store.apply(new FanOutRequest.Nest(ID, 0, "ffffffffffffffffffff", true));

        assertThatThrownBy(() -> fansOut(run)).isInstanceOf(FanOutException.class);
        assertThat(store.view(inner).stop()).isEqualTo(Stop.ABANDONED);
    }

    @Test
    void aSubtaskEndsWithItsRunIfItsOwnFanOutIsForgotten() {
        open(1, "orders");
        Run run = subtask(0, 2, null);
        String inner = FanOutIds.of(run.partition(), run.position(), run.task(), "");
        store.apply(new FanOutRequest.Nest(ID, 0, inner));
        ends(run, new Outcome.Dead("no such file"));

        assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(store.view(ID).failed()).isEqualTo(1);
    }

    @Test
    void whatASubtaskHasBegunIsCancelledWithItHoweverDeep() {
        open(1, "orders");
        Run master = subtask(0, 1, null);
        String inner = breaksOff(master);
        store.apply(new FanOutRequest.Nest(inner, 0, "ffffffffffffffffffff"));
        store.apply(new FanOutRequest.Open(
                "ffffffffffffffffffff",
                1,
                ((FanOutRequest.Open) store.requests(FanOutRequest.Open.class).get(0)).plan()));
        ends(subtask(0, 2, null), Outcome.Cancelled.INSTANCE);

        assertThat(store.view(inner).stop()).as("for its result").isEqualTo(Stop.ABANDONED);
        assertThat(store.apply(new FanOutRequest.Ask(inner, 0)).cancelled())
                .as("its subtask is interrupted")
                .isTrue();
        assertThat(store.view("ffffffffffffffffffff").stop()).isEqualTo(Stop.CANCELLED);
    }

    @Test
    void ifTheExecutorDiesBeforeItCancelsWhatRunsIsInterruptedAndAPatrolCancelsTheRest() {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        store.killedAt = FanOutRequest.Cancel.class;
        AtomicBoolean mayBeRecorded = new AtomicBoolean();
        gate.ended(subtask(0, 2, null), Outcome.Cancelled.INSTANCE, () -> mayBeRecorded.set(true));

        assertThat(mayBeRecorded).as("another run follows").isFalse();
        assertThat(store.view(inner).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(store.apply(new FanOutRequest.Ask(inner, 0)).cancelled())
                .as("its subtask is interrupted")
                .isTrue();
        assertThat(store.model.due(store.now + 30_000))
                .as("a patrol looks at it")
                .contains(inner);
    }

    @Test
    void whatASubtaskHasBegunGoesOnIfItsFanOutIsOnlyStopped() {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        ends(subtask(0, 2, null), Outcome.Cancelled.WITH_FAN_OUT);

        assertThat(store.view(inner).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(store.apply(new FanOutRequest.Ask(inner, 0)).cancelled()).isFalse();
    }

    @Test
    void aNestedFanOutPublishesNothingOnceTheOuterOneIsCancelled() throws InterruptedException {
        begin("orders", FanOutPlan.Rule.FAIL_FAST);
        store.apply(new FanOutRequest.Seal(ID, 1, 3));
        store.apply(new FanOutRequest.Tell(ID, 1, End.FAILED, "no such row"));
        assertThat(fansOut(subtask(0, 1, null)))
                .as("it runs, and so do its own subtasks")
                .isEqualTo(5);

        store.apply(new FanOutRequest.Cancel(ID, "asked for"));
        assertThat(fansOut(subtask(2, 1, null))).isZero();
    }
}
