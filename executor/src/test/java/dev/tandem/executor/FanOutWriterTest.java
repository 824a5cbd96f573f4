package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutException;
import dev.tandem.api.FanOutRef;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.Cancel;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Note;
import dev.tandem.task.fanout.FanOutRequest.Open;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How a master publishes its subtasks, and how another run of it goes on. */
class FanOutWriterTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private FanOutModel model = new FanOutModel();
    private boolean forgetsAfterOpen;
    private final List<FanOutRequest> requests = new CopyOnWriteArrayList<>();
    private final List<Subtask> published = new CopyOnWriteArrayList<>();
    private final List<Task> finals = new CopyOnWriteArrayList<>();
    private FanOutPolicy policy = new FanOutPolicy(10_000, 3, 1_000, 0);
    /** From which number on the broker accepts nothing. */
    private int brokerFailsAt = Integer.MAX_VALUE;

    private final class ModelStore implements Store {
        @Override
        public synchronized CompletionStage<FanOutReply> fanOut(
                int bucket, FanOutCaller caller, List<FanOutRequest> asked) {
            List<FanOutAnswer> answers = new ArrayList<>();
            for (FanOutRequest each : asked) {
                requests.add(each);
                answers.add(model.apply(each, fixture.clock.wallMillis()));
                if (forgetsAfterOpen && each instanceof Open) {
                    model = new FanOutModel();
                }
            }
            return CompletableFuture.completedFuture(new FanOutReply.Applied(answers));
        }

        @Override
        public Link link(Partition partition, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private final class FakePublisher implements FanOutPublisher {
        @Override
        public boolean reaches(String queue) {
            return queue.equals("orders");
        }

        @Override
        public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
            if (!reaches(request.queue())) {
                throw new InvalidTaskException("There is no queue '" + request.queue() + "'");
            }
            Map<String, String> all = new HashMap<>(request.options().headers());
            all.putAll(headers);
            String dedupKey = request.options().dedupKey();
            return new Task(id, request.queue(), request.type(), null, new byte[0], all, 0, 0, 0, 0, dedupKey);
        }

        @Override
        public Publication prepare(Task task) {
            Subtask subtask = Subtask.of(task);
            return end -> {
                if (subtask == null) {
                    finals.add(task);
                } else if (subtask.number() >= brokerFailsAt) {
                    end.accept(new PublishException("the broker is away"));
                    return;
                } else {
                    published.add(subtask);
                }
                end.accept(null);
            };
        }
    }

    private final ModelStore store = new ModelStore();

    private FanOutRef fanOut(Run run, int count, FanOut plan) throws InterruptedException {
        return fanOut(run, stream(count), plan);
    }

    private static Stream<TaskRequest<?>> stream(int count) {
        return IntStream.range(0, count).mapToObj(n -> TaskRequest.of("orders", "row", n));
    }

    private FanOutRef fanOut(Run run, Stream<? extends TaskRequest<?>> subtasks, FanOut plan)
            throws InterruptedException {
        return attempt(run).fanOut(subtasks, plan);
    }

    private AttemptFanOuts attempt(Run run) {
        FanOuts fanOuts = new FanOuts(store, new FakePublisher(), policy, FanOutMetrics.NONE, fixture.clock);
        QueueSpec spec = RunnerFixture.queue().store(store).fanOuts(fanOuts).build();
        return new AttemptFanOuts(run, spec);
    }

    private static Run master() {
        return TestRuns.of(new Task("import-7", "orders", "import", null, new byte[0], Map.of(), 0, 0, 0, 0, null), 5);
    }

    private static FanOut plan() {
        return FanOut.then(TaskRequest.of("orders", "done", null));
    }

    private String id() {
        return requests.get(0).id();
    }

    @Test
    void allSubtasksArePublishedOnceInOrder() throws InterruptedException {
        FanOutRef ref = fanOut(master(), 5_000, plan());

        assertThat(ref.subtasks()).isEqualTo(5_000);
        assertThat(published).hasSize(5_000).noneMatch(Subtask::again);
        assertThat(published.get(4_999).number()).isEqualTo(4_999);
        assertThat(ref.id()).isEqualTo(id()).matches("[0-9a-f]{20}");
        assertThat(requests.stream().filter(Note.class::isInstance).count()).isBetween(2L, 10L);
    }

    @Test
    void anotherRunGoesOnBehindWhatIsPublished() throws InterruptedException {
        brokerFailsAt = 3_000;
        assertThatThrownBy(() -> fanOut(master(), 5_000, plan()))
                .isInstanceOf(FanOutException.class)
                .hasMessageContaining("the broker is away");
        long noted = requests.stream()
                .filter(Note.class::isInstance)
                .mapToLong(each -> ((Note) each).cursor())
                .max()
                .orElse(0);
        assertThat(noted).isEqualTo(3_000);
        brokerFailsAt = Integer.MAX_VALUE;
        published.clear();
        model.apply(new Tell(id(), 3_001, End.SUCCEEDED, null), 0);

        fanOut(master(), 5_000, plan());

        assertThat(published).hasSize(1_999).extracting(Subtask::number).doesNotContain(3_001L);
        assertThat(published.get(0)).isEqualTo(new Subtask(id(), 3_000, 1, true));
        assertThat(published.get(1_998).again())
                .as("beyond the window of the run before")
                .isTrue();
    }

    @Test
    void theNextRunBeginsAnewWhatTheStoreForgot() throws InterruptedException {
        forgetsAfterOpen = true;
        assertThatThrownBy(() -> fanOut(master(), 3_000, plan()))
                .isInstanceOf(FanOutException.class)
                .hasMessageContaining("has forgotten");
        assertThatThrownBy(() -> fanOut(master(), 3, plan()))
                .as("forgotten before the seal")
                .isInstanceOf(FanOutException.class);
        forgetsAfterOpen = false;
        published.clear();

        FanOutRef ref = fanOut(TestRuns.of(master().task(), 5, 2, TestRuns.FOREVER), 3_000, plan());

        assertThat(ref.subtasks()).isEqualTo(3_000);
        assertThat(published).hasSize(3_000);
        assertThat(published).as("all of them may be copies").allMatch(Subtask::again);
    }

    @Test
    void copiesAreKnownAsSuchAlsoIfTheStoreForgotWhatWasNoted() throws InterruptedException {
        brokerFailsAt = 9_000;
        assertThatThrownBy(() -> fanOut(master(), 10_000, plan())).isInstanceOf(FanOutException.class);
        Open open = (Open) requests.get(0);
        // It goes back to where 1,000 were noted, and the executors of subtasks tell again what has ended.
        model = new FanOutModel();
        model.apply(open, 0);
        model.apply(new Note(id(), open.token(), 1_000), 0);
        List<Long> ended = List.of(1_001L, 3_047L, 3_048L, 5_000L, 8_999L);
        for (long number : ended) {
            model.apply(new Tell(id(), number, number == 5_000 ? End.FAILED : End.SUCCEEDED, "no such row"), 0);
        }
        brokerFailsAt = Integer.MAX_VALUE;
        published.clear();

        assertThat(fanOut(master(), 10_000, plan()).subtasks()).isEqualTo(10_000);

        assertThat(published).hasSize(9_000 - ended.size()).allMatch(Subtask::again);
        assertThat(published).extracting(Subtask::number).doesNotContainAnyElementsOf(ended);
    }

    @Test
    void aRunThatWasFrozenIsRefused() throws InterruptedException {
        brokerFailsAt = 10;
        assertThatThrownBy(() -> fanOut(master(), 20, plan())).isInstanceOf(FanOutException.class);
        model.apply(new Open(id(), Long.MAX_VALUE, ((Open) requests.get(0)).plan()), 0);
        brokerFailsAt = Integer.MAX_VALUE;

        assertThatThrownBy(() -> fanOut(master(), 20, plan()))
                .isInstanceOf(FanOutException.class)
                .hasMessageContaining("Another run");
    }

    @Test
    void aStoppedFanOutCountsAlsoWhatMayBePublishedAndIsNotNoted() throws InterruptedException {
        brokerFailsAt = 1_000;
        assertThatThrownBy(() -> fanOut(master(), 5_000, plan())).isInstanceOf(FanOutException.class);
        brokerFailsAt = Integer.MAX_VALUE;
        published.clear();
        model.apply(new Cancel(id(), "asked for"), 0);

        FanOutRef ref = fanOut(master(), 5_000, plan());

        assertThat(ref.subtasks()).isEqualTo(1_000 + FanOutWindow.SIZE);
        assertThat(published).hasSize(FanOutWindow.SIZE).allMatch(Subtask::again);
    }

    @Test
    void aFanOutThatIsStoppedInItsFirstRunCountsWhatIsPublished() throws InterruptedException {
        Stream<TaskRequest<?>> subtasks = IntStream.range(0, 5_000).mapToObj(n -> {
            if (n == 1_000) {
                model.apply(new Cancel(id(), "asked for"), 0);
            }
            return TaskRequest.of("orders", "row", n);
        });

        FanOutRef ref = fanOut(master(), subtasks, plan());

        assertThat(ref.subtasks()).isEqualTo(published.size()).isBetween(1_000L, 1_000L + FanOutWindow.SIZE);
    }

    @Test
    void aFanOutInOneThatIsCancelledPublishesNothing() throws InterruptedException {
        fanOut(master(), 2, plan());
        String outer = id();
        Task subtask = master().task().withHeaders(Map.of(Subtask.HEADER, outer + "/1/1"));
        model.apply(new Tell(outer, 1, End.FAILED, "no such file"), 0);
        model.apply(new Cancel(outer, "asked for"), 0);
        published.clear();

        assertThat(fanOut(TestRuns.of(RetriedByOperator.with(subtask), 7), 5, FanOut.withoutFinalTask())
                        .subtasks())
                .as("of a dead subtask that an operator has retried")
                .isEqualTo(5);

        Task first = master().task().withHeaders(Map.of(Subtask.HEADER, outer + "/0/1"));
        assertThat(fanOut(TestRuns.of(first, 8), 5, FanOut.withoutFinalTask()).subtasks())
                .isZero();
        assertThat(published).hasSize(5);
        assertThat(requests).filteredOn(Cancel.class::isInstance).hasSize(1);
    }

    @Test
    void aSealedFanOutIsNotPublishedAgain() throws InterruptedException {
        fanOut(master(), 20, plan());
        published.clear();

        assertThat(fanOut(master(), 20, plan()).subtasks()).isEqualTo(20);
        assertThat(published).isEmpty();
    }

    @Test
    void aRetryDiesIfItsFanOutIsForgottenAndOnlyThen() throws InterruptedException {
        Run retried = failedAfter(20);

        fixture.clock.advance(policy.keepMillis());
        assertThat(fanOut(retried, 20, plan()).subtasks()).as("it is known").isEqualTo(20);
        assertThat(published).hasSize(20);

        model = new FanOutModel();
        assertThatThrownBy(() -> fanOut(retried, 20, plan()))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("tandem.fan-outs.keep")
                .hasMessageContaining("submit a new task");
        assertThat(published).hasSize(20);

        AttemptRecord old = new AttemptRecord(1, 1, 5, "e", "the file is not there yet");
        Run neverFannedOut = TestRuns.stored(AttemptHistory.with(master().task(), old), 5);
        fanOut(neverFannedOut, 20, plan());
        assertThat(published)
                .as("of a master whose first attempts ended before")
                .hasSize(40);
    }

    @Test
    void whatRedisLosesWhileItShouldBeKeptIsBegunAnew() throws InterruptedException {
        Run retried = failedAfter(20);
        model = new FanOutModel();

        fanOut(retried, 20, plan());
        assertThat(published).hasSize(40);
    }

    /** Returns the run of a master that has fanned out and failed. */
    private Run failedAfter(int count) throws InterruptedException {
        Run run = master();
        AttemptFanOuts first = attempt(run);
        first.fanOut(stream(count), plan());
        first.ended(new Outcome.Retry(0, "no space left"));
        return TestRuns.stored(TestRuns.again(run), 5);
    }

    @Test
    void aStreamThatIsNotRepeatableIsRefused() {
        brokerFailsAt = 15;
        assertThatThrownBy(() -> fanOut(master(), 20, plan())).isInstanceOf(FanOutException.class);
        brokerFailsAt = Integer.MAX_VALUE;

        assertThatThrownBy(() -> fanOut(master(), 7, plan()))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("must be the same in each run");
    }

    @Test
    void whatCanNeverBePublishedMakesTheMasterDead() {
        policy = new FanOutPolicy(10, 3, 1_000, 0);
        assertThatThrownBy(() -> fanOut(master(), 11, plan()))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("tandem.fan-outs.max-subtasks");
        assertThatThrownBy(() -> fanOut(master(), Stream.of(TaskRequest.of("mails", "row", 1)), plan().named("b")))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("subtask 0")
                .hasMessageContaining("mails");
        assertThatThrownBy(() -> fanOut(
                        master(),
                        1,
                        FanOut.then(TaskRequest.of("mails", "done", 1)).named("c")))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("final task");
        Task deep = master().task().withHeaders(Map.of(Subtask.HEADER, "00112233445566778899/1/3"));
        assertThatThrownBy(() -> fanOut(TestRuns.of(deep, 6), 1, plan()))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("max-depth is 3");
    }

    @Test
    void theLastEndSubmitsTheFinalTask() throws Exception {
        fanOut(master(), 2, plan());
        FanOuts fanOuts = new FanOuts(store, new FakePublisher(), policy, FanOutMetrics.NONE, fixture.clock);
        fanOuts.tell(new Tell(id(), 0, End.SUCCEEDED, null), answer -> {});
        fanOuts.tell(new Tell(id(), 1, End.FAILED, "no such row"), answer -> {});
        fanOuts.close();

        await().until(() -> !finals.isEmpty());
        assertThat(finals.get(0).headers().get(Subtask.RESULT_HEADER))
                .contains("\"COMPLETED\"")
                .contains("no such row");
    }

    @Test
    void aSubtaskCannotWaitForTheFinalTask() {
        FanOut plan = FanOut.then(TaskRequest.of("orders", "done", null).with(TaskOptions.dedupKey("done-7")));
        Stream<TaskRequest<?>> subtasks = Stream.of(
                TaskRequest.of("orders", "row", 0).with(TaskOptions.dependsOn("other")),
                TaskRequest.of("orders", "row", 1).with(TaskOptions.dependsOn("done-7")));

        assertThatThrownBy(() -> fanOut(master(), subtasks, plan))
                .isInstanceOf(FatalTaskException.class)
                .hasMessageContaining("The subtask 1 depends on orders/done-7")
                .hasMessageContaining("leave that id out");
        assertThat(published).hasSize(1);
    }
}
