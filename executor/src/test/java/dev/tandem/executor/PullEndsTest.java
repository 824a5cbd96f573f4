package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseAnswer.Status;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest.Bury;
import dev.tandem.executor.pull.LeaseRequest.Discard;
import dev.tandem.executor.pull.LeaseRequest.Extend;
import dev.tandem.executor.pull.LeaseRequest.Fail;
import dev.tandem.executor.pull.LeaseRequest.Finish;
import dev.tandem.executor.pull.LeaseRequest.Release;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How the tasks end that pull workers have. */
class PullEndsTest extends PullDeskTestBase {

    // ---- ends ----

    @Test
    void aFinishIsAnsweredOnceTheStoreHasRecordedIt() {
        LeaseName lease = leased();
        CompletableFuture<LeaseAnswer> answer = apply(lease, new Finish("{\"n\":1}"));
        assertThat(outcomes).containsOnly(Map.entry(1L, Outcome.Succeeded.INSTANCE));
        assertThat(fixture.counters.succeeded.sum()).isEqualTo(1);
        assertThat(measured).containsExactly("start", "Succeeded");
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

    /** Thousands of ends are remembered, and a result may be long. */
    @Test
    void anEndIsRememberedWithoutItsResult() {
        LeaseName lease = leased();
        WeakReference<Finish> said = finishOf(lease);
        recorded(1);

        await().until(() -> {
            System.gc();
            return said.refersTo(null);
        });
        assertThat(apply(lease, new Finish("\"another\"")).join()).isEqualTo(LeaseAnswer.done());
    }

    /** The request is in no variable any more afterwards. */
    private WeakReference<Finish> finishOf(LeaseName lease) {
        Finish finish = new Finish("\"" + "x".repeat(100_000) + "\"");
        apply(lease, finish);
        return new WeakReference<>(finish);
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
