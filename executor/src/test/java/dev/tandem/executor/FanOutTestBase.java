package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Tests of the questions of an executor about subtasks, and of what it tells of them, over the model of the store. */
abstract class FanOutTestBase {

    static final String ID = "00112233445566778899";

    final FanOutStore store = new FanOutStore();
    final FanOuts fanOuts = new FanOuts(store, store, FanOutPolicy.DEFAULTS, FanOutMetrics.NONE, new ManualClock());
    final QueueSpec spec = RunnerFixture.queue()
            .store(store)
            .fanOuts(fanOuts)
            .action("row", task -> {})
            .build();
    final FanOutGate gate = new FanOutGate(spec, fanOuts, null);

    @AfterEach
    void close() {
        fanOuts.close();
    }

    /** Opens a fan-out of so many subtasks with a final task. */
    void open(int subtasks, String finalQueue) {
        begin(finalQueue, FanOutPlan.Rule.COMPLETE);
        store.apply(new FanOutRequest.Seal(ID, 1, subtasks));
    }

    void begin(String finalQueue, FanOutPlan.Rule rule) {
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

    static Run subtask(int number, int attempt, @Nullable String attempts) {
        Map<String, String> headers = new HashMap<>();
        headers.put(Subtask.HEADER, new Subtask(ID, number, 1, false).text());
        if (attempts != null) {
            headers.put(AttemptHistory.HEADER, attempts);
        }
        Task task = new Task("row-" + number, "orders", "row", null, new byte[0], headers, 0, 0, 0, 0, null);
        return TestRuns.of(task, number, attempt, TestRuns.FOREVER);
    }

    void ends(Run run, Outcome outcome) {
        AtomicBoolean mayBeRecorded = new AtomicBoolean();
        gate.ended(run, outcome, () -> mayBeRecorded.set(true));
        assertThat(mayBeRecorded).isTrue();
    }

    /** Runs a subtask that fans out, and whose stream breaks off. @return the id of its own fan-out */
    String breaksOff(Run run) {
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

    long fansOut(Run run) throws InterruptedException {
        return new AttemptFanOuts(run, spec)
                .fanOut(
                        IntStream.range(0, 5).mapToObj(n -> TaskRequest.of("orders", "row", n)),
                        FanOut.withoutFinalTask())
                .subtasks();
    }
}
