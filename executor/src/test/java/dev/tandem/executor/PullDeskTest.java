package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseAnswer.Status;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeaseRequest.Bury;
import dev.tandem.executor.pull.LeaseRequest.Discard;
import dev.tandem.executor.pull.LeaseRequest.Extend;
import dev.tandem.executor.pull.LeaseRequest.Fail;
import dev.tandem.executor.pull.LeaseRequest.Finish;
import dev.tandem.executor.pull.LeaseRequest.Release;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The desk of pull workers, driven by hand in place of a queue's loop. */
class PullDeskTest {

    private static final Partition P0 = Partition.of("orders", 0);

    private final RunnerFixture fixture = new RunnerFixture();
    private final ManualClock clock = fixture.clock;
    /** The outcomes by offset. */
    private final Map<Long, Outcome> outcomes = new LinkedHashMap<>();

    private final PullDesk desk = desk(queue());

    private PullDesk desk(QueueSpec.Builder builder) {
        ExecutorContext context = TestContexts.of(clock, fixture.watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE);
        QueueSpec spec = builder.retry(RetryPolicy.fixed(Duration.ofSeconds(3)))
                .timeout(Duration.ofMinutes(1))
                .pulled(PullPolicy.DEFAULTS)
                .build();
        PullDesk made = new PullDesk(spec, PullPolicy.DEFAULTS, context, () -> {});
        made.runBy(new TaskRunner(
                spec,
                context,
                fixture.counters,
                Gates.of(spec, clock),
                again -> {},
                (run, outcome) -> outcomes.put(run.sequence(), outcome)));
        return made;
    }

    private static Run run(long offset) {
        return TestRuns.of(task("pay", "p" + offset, "k" + offset), offset);
    }

    /** Offers runs, as many as were wanted. */
    private void offer(int count) {
        desk.offer(IntStream.range(0, count).mapToObj(PullDeskTest::run).toList());
    }

    private static LeaseCall call(int max) {
        return new LeaseCall(max, 1 << 20, 20_000, 0, "w1");
    }

    private LeasedTask leaseOne(Run run) {
        CompletableFuture<List<LeasedTask>> answer = desk.lease(call(1));
        desk.offer(List.of(run));
        return answer.join().get(0);
    }

    private LeaseName leased() {
        return leaseOne(run(1)).lease();
    }

    private CompletableFuture<LeaseAnswer> apply(LeaseName lease, LeaseRequest request) {
        return desk.apply(lease, request);
    }

    private void recorded(long offset) {
        desk.ends().recorded(new RecordedEnd(P0, 100 + offset));
    }

    // ---- hand out ----

    @Test
    void runsAreHandedOutInTheirOrderToCallsInTheirOrder() {
        CompletableFuture<List<LeasedTask>> first = desk.lease(call(2));
        CompletableFuture<List<LeasedTask>> second = desk.lease(call(5));
        assertThat(desk.wanted()).isEqualTo(7);

        offer(5);
        assertThat(first.join()).extracting(LeasedTask::position).containsExactly("0/1:0", "0/1:1");
        assertThat(second).as("more may come").isNotDone();
        assertThat(desk.wanted()).as("what workers have, and want").isEqualTo(7);

        desk.turned(5, 0);
        assertThat(second.join()).extracting(LeasedTask::position).containsExactly("0/1:2", "0/1:3", "0/1:4");
        assertThat(desk.status()).isEqualTo(new TaskLeases.Status(5, 0, 0, 0, 0));
    }

    @Test
    void aWorkerSeesAllOfItsTask() {
        LeasedTask task = leaseOne(TestRuns.of(task("pay", "7"), 12, 3, TestRuns.FOREVER));

        assertThat(task.lease().toString()).isEqualTo("0:112:1:e1");
        assertThat(LeaseName.parse("0:112:1:e1")).contains(task.lease());
        assertThat(task.leaseMillis()).isEqualTo(30_000);
        assertThat(task.id()).isEqualTo("orders:0:12");
        assertThat(task.type()).isEqualTo("pay");
        assertThat(task.key()).isEqualTo("k");
        assertThat(task.attempt()).isEqualTo(3);
        assertThat(task.maxAttempts()).isEqualTo(8);
        assertThat(task.timeoutMillis()).isEqualTo(60_000);
        assertThat(task.headers()).containsEntry("h", "v");
        assertThat(task.payload()).asString().isEqualTo("7");
    }

    @Test
    void aCallWaitsAMomentForFurtherTasksWhoseClaimsAreOnTheirWay() {
        CompletableFuture<List<LeasedTask>> answer = desk.lease(call(9));
        offer(2);
        desk.turned(3, 0);
        assertThat(answer).isNotDone();

        clock.advance(PullDesk.LINGER_MILLIS);
        desk.turned(3, 0);
        assertThat(answer.join()).hasSize(2);
    }

    @Test
    void anAnswerHasAsManyTasksAsFitAndOneInAnyCase() {
        long size = LeasedTask.bytes(run(0).task().payload(), run(0).task().headers());
        CompletableFuture<List<LeasedTask>> two = desk.lease(new LeaseCall(9, 2 * size, 20_000, 0, ""));
        CompletableFuture<List<LeasedTask>> one = desk.lease(new LeaseCall(9, 1, 20_000, 0, ""));
        offer(4);

        assertThat(two.join()).hasSize(2);
        assertThat(one.join()).hasSize(1);
        assertThat(desk.status().ready()).isEqualTo(1);
    }

    @Test
    void aCallThatDoesNotWaitIsAnsweredOnceItIsKnownThatThereIsNothing() {
        CompletableFuture<List<LeasedTask>> answer = desk.lease(new LeaseCall(9, 1_000, 0, 0, ""));
        desk.turned(0, 0);
        assertThat(answer).as("no task has been asked for yet").isNotDone();

        assertThat(desk.wanted()).isEqualTo(9);
        desk.turned(1, 0);
        assertThat(answer).as("a claim is on its way").isNotDone();
        desk.turned(0, 0);
        assertThat(answer.join()).isEmpty();
    }

    @Test
    void aCallIsAnsweredWithoutTasksWhenItsTimeIsOver() {
        CompletableFuture<List<LeasedTask>> answer = desk.lease(call(1));
        assertThat(desk.nextTurn() - clock.millis()).isEqualTo(20_000);
        clock.advance(20_000);
        desk.turned(0, 0);
        assertThat(answer.join()).isEmpty();
    }

    @Test
    void aRunThatNobodyFetchesGoesBackUnspent() {
        desk.offer(List.of(run(1)));
        assertThat(desk.nextTurn() - clock.millis()).isEqualTo(PullDesk.READY_MILLIS);
        clock.advance(PullDesk.READY_MILLIS);
        desk.turned(1, 0);
        assertThat(outcomes).containsOnly(Map.entry(1L, Outcome.NotStarted.INSTANCE));
    }

    @Test
    void tasksOfACallThatHasBeenGivenUpGoToTheNextOne() {
        CompletableFuture<List<LeasedTask>> gone = desk.lease(call(2));
        desk.offer(List.of(run(1)));
        gone.cancel(false);

        List<LeasedTask> tasks = desk.lease(call(1)).join();
        assertThat(tasks).extracting(LeasedTask::position).containsExactly("0/1:1");
        assertThat(tasks.get(0).lease().number()).as("another lease").isEqualTo(2);
        assertThat(apply(new LeaseName("0", 101, 1, "e1"), new Finish(null))
                        .join()
                        .status())
                .isEqualTo(Status.LOST);
    }

    @Test
    void tasksThatDidNotReachTheirWorkerAreHandedOutAgain() {
        LeaseName lost = leased();
        desk.giveBack(List.of(lost));
        assertThat(desk.lease(call(1)).join()).hasSize(1);
        assertThat(outcomes).isEmpty();
    }

    @Test
    void noRunIsHandedOutWhoseTaskHasExpiredOrWhoseClaimIsLost() {
        String soon = Long.toString(clock.wallMillis() + 500);
        Map<String, String> headers = Map.of(TaskHeaders.EXPIRES_AT, soon);
        Task expires = new Task(null, "orders", "pay", "k", new byte[0], headers, 0, 0, 0, 0, null);
        desk.offer(List.of(TestRuns.of(expires, 1), TestRuns.of(task("pay", ""), 2, 1, clock.millis() + 500)));
        clock.advance(600);
        CompletableFuture<List<LeasedTask>> answer = desk.lease(call(2));

        assertThat(answer).isNotDone();
        assertThat(outcomes)
                .containsOnly(Map.entry(1L, new Outcome.Expired(null)), Map.entry(2L, Outcome.NotStarted.INSTANCE));
    }

    @Test
    void aTaskWhoseAttemptsAreUsedUpIsDeadWithoutAWorker() {
        desk.offer(List.of(TestRuns.lapsed(task("pay", ""), 1, 8, TestRuns.FOREVER)));
        assertThat(outcomes.get(1L)).isInstanceOf(Outcome.Dead.class);
    }

    // ---- ends ----

    @Test
    void aFinishIsAnsweredOnceTheStoreHasRecordedIt() {
        LeaseName lease = leased();
        CompletableFuture<LeaseAnswer> answer = apply(lease, new Finish("{\"n\":1}"));
        assertThat(outcomes).containsOnly(Map.entry(1L, Outcome.Succeeded.INSTANCE));
        assertThat(fixture.counters.succeeded.sum()).isEqualTo(1);
        assertThat(answer).isNotDone();

        recorded(1);
        assertThat(answer.join()).isEqualTo(LeaseAnswer.done());
        assertThat(desk.status().leased()).isZero();
    }

    @Test
    void aFinishThatIsSentAgainHasTheSameAnswer() {
        LeaseName lease = leased();
        CompletableFuture<LeaseAnswer> first = apply(lease, new Finish(null));
        CompletableFuture<LeaseAnswer> again = apply(lease, new Finish(null));
        recorded(1);

        assertThat(first.join()).isEqualTo(again.join()).isEqualTo(LeaseAnswer.done());
        assertThat(apply(lease, new Fail("no", -1)).join())
                .isEqualTo(LeaseAnswer.lost("its worker has ended it by finish"));
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void aFinishThatTheStoreRefusesIsLost() {
        CompletableFuture<LeaseAnswer> answer = apply(leased(), new Finish(null));
        desk.ends().refused(new RefusedEnd(P0, 101));
        assertThat(answer.join().status()).isEqualTo(Status.LOST);
    }

    @Test
    void aFailedTaskIsTriedAgainAsItsQueueOrItsWorkerSays() {
        LeaseName byQueue = leased();
        LeaseName byWorker = leaseOne(run(2)).lease();
        LeaseName last =
                leaseOne(TestRuns.of(task("pay", ""), 3, 8, TestRuns.FOREVER)).lease();
        apply(byQueue, new Fail("no connection", -1));
        apply(byWorker, new Fail("busy", 70_000));
        apply(last, new Fail("no connection", -1));

        assertThat(outcomes)
                .containsEntry(1L, new Outcome.Retry(3_000, "no connection"))
                .containsEntry(2L, new Outcome.Retry(70_000, "busy"))
                .containsEntry(3L, new Outcome.Dead("attempt 8 of 8 was the last: no connection"));
        assertThat(fixture.counters.failedAttempts.sum()).isEqualTo(3);
    }

    @Test
    void otherEndsOfATask() {
        apply(leased(), new Release(5_000));
        apply(leaseOne(run(2)).lease(), new Bury("no such customer"));
        apply(leaseOne(run(3)).lease(), new Discard());

        assertThat(outcomes)
                .containsEntry(1L, new Outcome.Snoozed(5_000))
                .containsEntry(2L, new Outcome.Dead("no such customer"))
                .containsEntry(3L, Outcome.Cancelled.DISCARDED);
    }

    // ---- leases ----

    @Test
    void aTaskWhoseWorkerIsSilentGoesOnAtOnceWhenItsLeaseHasRunOut() {
        LeaseName lease = leased();
        clock.advance(29_999);
        desk.turned(1, 0);
        assertThat(outcomes).isEmpty();
        assertThat(desk.nextTurn() - clock.millis()).isEqualTo(1);

        clock.advance(1);
        desk.turned(1, 0);
        assertThat(outcomes).containsEntry(1L, new Outcome.Retry(0, "the lease of the pull worker 'w1' ran out"));
        assertThat(apply(lease, new Finish(null)).join()).isEqualTo(LeaseAnswer.lost("its lease has run out"));
        assertThat(desk.status().lapsed()).isEqualTo(1);
        assertThat(fixture.counters.failedAttempts.sum())
                .as("says nothing about what workers call")
                .isZero();
    }

    @Test
    void aLeaseIsExtendedUpToTheEndOfTheLongestRun() {
        LeaseName lease = leased();
        clock.advance(20_000);
        assertThat(apply(lease, new Extend(0)).join()).isEqualTo(LeaseAnswer.leased(30_000));
        clock.advance(25_000);
        assertThat(apply(lease, new Extend(600_000)).join()).as("of a minute").isEqualTo(LeaseAnswer.leased(15_000));

        clock.advance(15_000);
        desk.turned(1, 0);
        assertThat(outcomes).containsEntry(1L, new Outcome.Retry(3_000, "timed out after 60000 ms"));
        assertThat(fixture.counters.timedOut.sum()).isEqualTo(1);
        assertThat(apply(lease, new Extend(0)).join().detail()).isEqualTo("it has run for longer than its timeout");
    }

    @Test
    void aLeaseIsNotExtendedWhileTheClaimMayBeLost() {
        LeaseName lease = leaseOne(TestRuns.of(task("pay", ""), 1, 1, clock.millis() + 5_000))
                .lease();
        clock.advance(5_001);
        assertThat(apply(lease, new Extend(0)).join().status()).isEqualTo(Status.UNKNOWN);
        assertThat(apply(lease, new Finish(null))).as("the store will say").isNotDone();
    }

    @Test
    void whatIsNoLeaseIsLost() {
        assertThat(apply(new LeaseName("0", 7, 7, "e1"), new Finish(null))
                        .join()
                        .status())
                .isEqualTo(Status.LOST);
        assertThat(apply(new LeaseName("0", 7, 7, "e1"), new Extend(0)).join().status())
                .isEqualTo(Status.LOST);
    }

    // ---- interruptions ----

    @Test
    void theWorkerOfACancelledTaskHearsItAndMaySucceedAllTheSame() {
        LeaseName succeeds = leased();
        LeaseName gives = leaseOne(run(2)).lease();
        LeaseName silent = leaseOne(run(3)).lease();
        PulledHandlers handlers = new PulledHandlers(desk);
        assertThat(handlers.running()).hasSize(3);
        assertThat(handlers.cancel("orders:0:1")).containsExactly("0/1:1");
        handlers.cancel(handlers.running());

        assertThat(apply(succeeds, new Extend(0)).join()).isEqualTo(LeaseAnswer.lost("an operator has cancelled it"));
        assertThat(outcomes).as("its key waits for the worker").isEmpty();
        CompletableFuture<LeaseAnswer> finished = apply(succeeds, new Finish(null));
        recorded(1);
        assertThat(finished.join()).isEqualTo(LeaseAnswer.done());
        assertThat(apply(gives, new Fail("stopped", -1)).join().status()).isEqualTo(Status.LOST);
        clock.advance(30_000);
        desk.turned(1, 0);

        assertThat(outcomes)
                .containsEntry(1L, Outcome.Succeeded.INSTANCE)
                .containsEntry(2L, Outcome.Cancelled.INSTANCE)
                .containsEntry(3L, Outcome.Cancelled.INSTANCE);
        assertThat(apply(silent, new Finish(null)).join()).isEqualTo(LeaseAnswer.lost("an operator has cancelled it"));
    }

    @Test
    void aTaskThatLosesItsPermitGoesBackWhenItsWorkerHasHeardOfIt() {
        Run run = run(1);
        LeaseName lease = leaseOne(run).lease();
        new PulledHandlers(desk).interrupt(Set.of(run));

        assertThat(apply(lease, new Finish(null)).join().status()).isEqualTo(Status.LOST);
        assertThat(outcomes).containsEntry(1L, Outcome.NotStarted.INSTANCE);
    }

    @Test
    void aStoppingQueueHandsNothingOutAndTakesEndsUntilItHasStopped() {
        LeaseName ends = leased();
        LeaseName goesOn = leaseOne(run(2)).lease();
        CompletableFuture<List<LeasedTask>> waiting = desk.lease(call(1));
        desk.close();

        assertThatThrownBy(waiting::join).hasCauseInstanceOf(TaskLeases.StoppedException.class);
        assertThatThrownBy(desk.lease(call(1))::join).hasCauseInstanceOf(TaskLeases.StoppedException.class);
        apply(ends, new Finish(null));
        new PulledHandlers(desk).interruptAll();

        assertThat(outcomes)
                .containsEntry(1L, Outcome.Succeeded.INSTANCE)
                .containsEntry(2L, Outcome.NotStarted.INSTANCE);
        assertThat(apply(goesOn, new Finish(null)).join()).isEqualTo(LeaseAnswer.lost("its executor has stopped"));
    }

    @Test
    void runsOfAPartitionThatIsGivenUpGoBackUnlessAWorkerHasThem() {
        LeaseName lease = leased();
        desk.offer(List.of(run(2)));
        desk.leave(P0);
        desk.offer(List.of(run(3)));
        desk.giveBack(List.of(lease));

        assertThat(outcomes.keySet()).containsExactly(2L, 3L, 1L);
        assertThat(outcomes.values()).containsOnly(Outcome.NotStarted.INSTANCE);
    }
}
