package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.pull.LeaseAnswer.Status;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest.Finish;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests which tasks a desk hands out to pull workers. */
class PullDeskTest extends PullDeskTestBase {

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
    void othersAreToldThatTasksWaitWhileNobodyAsksForThem() {
        AtomicInteger told = new AtomicInteger();
        desk.whenStartable(told::incrementAndGet);
        desk.turned(0, 3);
        desk.turned(0, 3);
        assertThat(told).as("at once").hasValue(1);
        clock.advance(TaskLeases.REMINDER_MILLIS);
        assertThat(desk.nextTurn()).isEqualTo(clock.millis());
        desk.turned(0, 2);
        assertThat(told).as("again").hasValue(2);

        CompletableFuture<List<LeasedTask>> here = desk.lease(call(1));
        clock.advance(TaskLeases.REMINDER_MILLIS);
        desk.turned(0, 2);
        assertThat(here).isNotDone();
        assertThat(told).as("a worker here asks").hasValue(2);
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

    /** A worker may have it all the same, if only an answer was lost: a second one must not have the same fencing token. */
    @Test
    void theRunOfATaskThatIsGivenBackEndsSoThatItsNextLeaseHasANewToken() {
        LeaseName lost = leased();
        CompletableFuture<List<LeasedTask>> next = desk.lease(call(1));
        desk.giveBack(List.of(lost));

        assertThat(next).as("not the same run").isNotDone();
        assertThat(outcomes).containsOnly(Map.entry(1L, Outcome.NotStarted.INSTANCE));
        assertThat(apply(lost, new Finish(null)).join().status()).isEqualTo(Status.LOST);
        desk.giveBack(List.of(lost));
        assertThat(outcomes).as("a repeat").hasSize(1);
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
}
