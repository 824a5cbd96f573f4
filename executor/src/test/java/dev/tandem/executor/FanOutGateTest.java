package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Outcome;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what an executor asks about subtasks and tells of them, over the model of the store. */
class FanOutGateTest extends FanOutTestBase {

    /** Asks about a run. @return what becomes of it; null if it goes to its handler */
    private @Nullable Outcome asks(Run run) {
        boolean unused = gate.mustWait(run, () -> {});
        return gate.takeOutcome(run);
    }

    @Test
    void aMasterThatEndsWithoutItsStreamIsRecordedWhenItsFanOutIsGivenUp() {
        Task task = new Task("import-7", "orders", "import", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
        Run master = TestRuns.of(task, 5);
        AttemptFanOuts attempt = new AttemptFanOuts(master, spec);
        assertThatThrownBy(() -> attempt.fanOut(
                        Stream.generate(() -> {
                            throw new IllegalStateException("a database is away");
                        }),
                        FanOut.withoutFinalTask()))
                .hasMessage("a database is away");
        assertThat(gate.concerns(task)).isFalse();
        assertThat(gate.awaitsEnd(master)).isFalse();

        attempt.ended(Outcome.Succeeded.INSTANCE);
        assertThat(gate.awaitsEnd(master)).isTrue();
        ends(master, Outcome.Succeeded.INSTANCE);
        String id = store.requests(FanOutRequest.Open.class).get(0).id();
        assertThat(store.view(id).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(gate.awaitsEnd(master)).isFalse();
    }

    @Test
    void aMasterThatIsCancelledBeforeItsNextRunGivesUpWhatItBegan() {
        Task task = new Task("import-7", "orders", "import", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
        open(3, "orders");
        String broken = "ffffffffffffffffffff";
        FanOutPlan plan = new FanOutPlan(
                "orders", "0/1", "m", "t", "", 1, FanOutPlan.Rule.COMPLETE, 0, "", new byte[0], 1_000, 10);
        store.apply(new FanOutRequest.Open(broken, 1, plan));
        Run next = TestRuns.of(FannedOut.with(task, Map.of(ID, store.now, broken, store.now)), 5);
        assertThat(gate.awaitsEnd(next)).isTrue();
        ends(next, new Outcome.Expired(null));

        assertThat(store.view(broken).why()).isEqualTo("its master expired");
        assertThat(store.view(ID).stop()).as("its stream had ended").isEqualTo(Stop.NO);
    }

    @Test
    void aStoppedFanOutCountsAlsoWhatHasEndedBehindNotesThatRedisForgot() throws InterruptedException {
        Task task = new Task("import-7", "orders", "import", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
        String id = breaksOff(TestRuns.of(task, 5));
        store.apply(new FanOutRequest.Tell(id, 4_999, End.SUCCEEDED, null));
        store.apply(new FanOutRequest.Cancel(id, "asked for"));

        Stream<TaskRequest<?>> all = IntStream.range(0, 9_000).mapToObj(n -> TaskRequest.of("orders", "row", n));
        long total = new AttemptFanOuts(TestRuns.of(task, 5), spec)
                .fanOut(all, FanOut.withoutFinalTask())
                .subtasks();

        assertThat(total).isEqualTo(5_000 + FanOutWindow.SIZE);
        assertThat(store.view(id).why()).isEqualTo("asked for; more subtasks were published than are counted");
    }

    @Test
    void aSubtaskThatDidNotFanOutEndsWithItsRun() {
        open(2, "orders");
        ends(subtask(0, 1, null), Outcome.Succeeded.INSTANCE);
        ends(subtask(1, 2, null), new Outcome.Dead("no such row"));
        assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(store.view(ID).failed()).isEqualTo(1);
    }

    /** The executor masks, since those who look at the fan-out later do not know the payload. */
    @Test
    void theErrorOfASubtaskIsToldWithoutWhatItRepeatsOfItsPayload() {
        QueueSpec masked = RunnerFixture.queue()
                .store(store)
                .fanOuts(fanOuts)
                .log(new LogPolicy(true, (payload, error) -> error.replace("4111", "*" + payload.length)))
                .action("row", task -> {})
                .build();
        open(1, "orders");
        new FanOutGate(masked, fanOuts, null)
                .ended(subtask(0, 1, null), new Outcome.Dead("no such card: 4111"), () -> {});

        assertThat(store.view(ID).errors()).extracting(each -> each.error()).containsExactly("no such card: *0");
    }

    @Test
    void ofAStoppedFanOutASubtaskRunsThatAnOperatorRetried() {
        open(4, "orders");
        ends(subtask(0, 1, null), new Outcome.Dead("no such row"));
        store.apply(new FanOutRequest.Cancel(ID, "asked for"));
        ends(subtask(1, 1, null), Outcome.Succeeded.INSTANCE);
        assertThat(fanOuts.isStopped(ID)).as("this process has heard of it").isTrue();

        String history = "1\t0\t0\texecutor\tno such row";
        assertThat(asks(subtask(0, 1, history))).as("has died").isNull();
        Task retried = RetriedByOperator.with(subtask(2, 1, null).task());
        assertThat(asks(TestRuns.of(retried, 2)))
                .as("has died without a run, which nobody has told yet")
                .isNull();
        assertThat(asks(subtask(2, 2, history))).as("waited for an attempt").isInstanceOf(Outcome.Cancelled.class);
        int asked = store.requests.size();
        assertThat(asks(subtask(3, 1, null))).as("has not begun").isInstanceOf(Outcome.Cancelled.class);
        assertThat(store.requests).as("nobody was asked").hasSize(asked);
    }

    @Test
    void theFinalTaskIsLeftToProgramsWithItsQueue() {
        open(1, "elsewhere");
        ends(subtask(0, 1, null), Outcome.Succeeded.INSTANCE);

        assertThat(store.requests(FanOutRequest.Claim.class)).isEmpty();
        assertThat(store.model.due(store.now))
                .as("a patrol need not wait for a claim")
                .containsExactly(ID);
    }

    @Test
    void aClaimWhoseAnswerIsLostIsRepeated() {
        open(1, "orders");
        store.lostAnswers.add(FanOutRequest.Claim.class);
        ends(subtask(0, 1, null), Outcome.Succeeded.INSTANCE);

        await().untilAsserted(() -> assertThat(store.view(ID).finished()).isTrue());
        assertThat(store.requests(FanOutRequest.Claim.class)).hasSize(2);
        assertThat(store.finals()).extracting(Task::id).containsExactly(ID + "-final");
    }

    private static final class Handlers implements RunningHandlers {
        private final Set<Run> running = new HashSet<>();
        private final Set<Run> cancelled = new HashSet<>();

        @Override
        public Set<Run> running() {
            return running;
        }

        @Override
        public List<Started> started() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void interrupt(Set<Run> runs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void interruptAll() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<String> cancel(String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void cancel(Set<Run> runs) {
            cancelled.addAll(runs);
        }
    }

    @Test
    void runningSubtasksAreInterruptedWhenSomebodyCancelsTheirFanOut() {
        open(3, "orders");
        Handlers handlers = new Handlers();
        Run slow = subtask(0, 1, null);
        Run retried = subtask(1, 1, null);
        handlers.running.addAll(Set.of(slow, retried));
        store.apply(new FanOutRequest.Tell(ID, 1, End.FAILED, "no such row"));
        try (FanOutCancels cancels = new FanOutCancels(fanOuts)) {
            cancels.add(handlers);
            cancels.look();
            assertThat(store.requests).as("short subtasks cost nothing").isEmpty();
            cancels.look();
            assertThat(store.requests).hasSize(2);
            assertThat(handlers.cancelled).isEmpty();

            store.apply(new FanOutRequest.Cancel(ID, "asked for"));
            cancels.look();
            assertThat(handlers.cancelled)
                    .as("the other one is retried by an operator")
                    .containsExactly(slow);
        }
    }

    private void interruptsWhatRunsOnlyWhenSomebodyCancels(Stop stop) {
        Handlers handlers = new Handlers();
        Run slow = subtask(0, 1, null);
        handlers.running.add(slow);
        try (FanOutCancels cancels = new FanOutCancels(fanOuts)) {
            cancels.add(handlers);
            cancels.look();
            cancels.look();
            assertThat(store.view(ID).stop()).isEqualTo(stop);
            assertThat(handlers.cancelled).as("those that run go on").isEmpty();

            store.apply(new FanOutRequest.Cancel(ID, "asked for"));
            cancels.look();
            assertThat(handlers.cancelled).containsExactly(slow);
            assertThat(store.view(ID).stop()).as("for the result").isEqualTo(stop);
        }
    }

    @Test
    void runningSubtasksAreInterruptedAlsoIfTheirFanOutHadFailed() {
        begin("orders", FanOutPlan.Rule.FAIL_FAST);
        store.apply(new FanOutRequest.Seal(ID, 1, 2));
        store.apply(new FanOutRequest.Tell(ID, 1, End.FAILED, "no such row"));

        interruptsWhatRunsOnlyWhenSomebodyCancels(Stop.FAILED);
    }

    @Test
    void runningSubtasksAreInterruptedAlsoIfTheirFanOutWasAbandoned() {
        begin("orders", FanOutPlan.Rule.COMPLETE);
        store.apply(new FanOutRequest.Note(ID, 1, 2));
        store.apply(new FanOutRequest.Abandon(ID, 1, End.FAILED, "its master died"));

        interruptsWhatRunsOnlyWhenSomebodyCancels(Stop.ABANDONED);
    }
}
