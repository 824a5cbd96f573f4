package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what an executor asks about subtasks and tells of them, over the model of the store. */
class FanOutGateTest {

    private static final String ID = "00112233445566778899";

    private final FanOutStore store = new FanOutStore();
    private final FanOuts fanOuts =
            new FanOuts(store, store, FanOutPolicy.DEFAULTS, FanOutMetrics.NONE, new ManualClock());
    private final QueueSpec spec = RunnerFixture.queue()
            .store(store)
            .fanOuts(fanOuts)
            .action("row", task -> {})
            .build();
    private final FanOutGate gate = new FanOutGate(spec, fanOuts, null);

    @AfterEach
    void close() {
        fanOuts.close();
    }

    /** Opens a fan-out of so many subtasks with a final task. */
    private void open(int subtasks, String finalQueue) {
        begin(finalQueue, FanOutPlan.Rule.COMPLETE);
        store.apply(new FanOutRequest.Seal(ID, 1, subtasks));
    }

    private void begin(String finalQueue, FanOutPlan.Rule rule) {
        Task last = new Task(ID + "-final", finalQueue, "done", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
        FanOutPlan plan = new FanOutPlan(
                "orders",
                "0/1",
                "m",
                "import",
                "",
                1,
                rule,
                0,
                finalQueue,
                Envelope.of(last).encode(),
                1_000,
                10);
        store.apply(new FanOutRequest.Open(ID, 1, plan));
    }

    private static Run subtask(int number, int attempt, @Nullable String attempts) {
        Map<String, String> headers = new HashMap<>();
        headers.put(Subtask.HEADER, new Subtask(ID, number, 1, false).text());
        if (attempts != null) {
            headers.put(AttemptHistory.HEADER, attempts);
        }
        Task task = new Task("row-" + number, "orders", "row", null, new byte[0], headers, 0, 0, 0, 0, null);
        return TestRuns.of(task, number, attempt, TestRuns.FOREVER);
    }

    private void ends(Run run, Outcome outcome) {
        AtomicBoolean mayBeRecorded = new AtomicBoolean();
        gate.ended(run, outcome, () -> mayBeRecorded.set(true));
        assertThat(mayBeRecorded).isTrue();
    }

    /** Asks about a run. @return what becomes of it; null if it goes to its handler */
    private @Nullable Outcome asks(Run run) {
        boolean unused = gate.mustWait(run, () -> {});
        return gate.takeOutcome(run);
    }

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

    /** Runs a subtask that fans out, and whose stream breaks off. @return the id of its own fan-out */
    private String breaksOff(Run run) {
        assertThatThrownBy(() -> new AttemptFanOuts(run, spec)
                        .fanOut(
                                Stream.of(1, 2).map(each -> {
                                    if (each == 2) {
                                        throw new IllegalStateException("a database is away");
                                    }
                                    return TaskRequest.of("orders", "row", each);
                                }),
                                FanOut.withoutFinalTask()))
                .hasMessage("a database is away");
        ends(run, new Outcome.Retry(10, "a database is away"));
        return store.requests(FanOutRequest.Open.class).get(0).id();
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
    void aCopyOfASubtaskGivesUpTheFanOutOfTheOtherOne() {
        open(1, "orders");
        String inner = breaksOff(subtask(0, 1, null));
        Run copy = TestRuns.of(subtask(0, 1, null).task(), 7, 1, TestRuns.FOREVER);
        ends(copy, Outcome.Cancelled.INSTANCE);

        assertThat(store.view(inner).stop()).as("it has another place").isEqualTo(Stop.ABANDONED);
        assertThat(store.view(ID).ended()).as("its subtask may run").isZero();
    }

    @Test
    void aSubtaskEndsWithItsRunIfItsOwnFanOutIsForgotten() {
        open(1, "orders");
        store.apply(new FanOutRequest.Nest(ID, 0, "ffffffffffffffffffff"));
        ends(subtask(0, 2, null), new Outcome.Dead("no such file"));

        assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(store.view(ID).failed()).isEqualTo(1);
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
    void aSubtaskThatDidNotFanOutEndsWithItsRun() {
        open(2, "orders");
        ends(subtask(0, 1, null), Outcome.Succeeded.INSTANCE);
        ends(subtask(1, 2, null), new Outcome.Dead("no such row"));
        assertThat(store.view(ID).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(store.view(ID).failed()).isEqualTo(1);
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
        store.apply(new FanOutRequest.Abandon(ID, 1, "its master died"));

        interruptsWhatRunsOnlyWhenSomebodyCancels(Stop.ABANDONED);
    }

    private long fansOut(Run run) throws InterruptedException {
        return new AttemptFanOuts(run, spec)
                .fanOut(
                        IntStream.range(0, 5).mapToObj(n -> TaskRequest.of("orders", "row", n)),
                        FanOut.withoutFinalTask())
                .subtasks();
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
