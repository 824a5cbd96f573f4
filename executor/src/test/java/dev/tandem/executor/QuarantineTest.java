package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Task;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task whose last two executors died while they ran it runs alone in this one. */
class QuarantineTest {

    private final ManualClock clock = new ManualClock();
    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(clock, 10_000, attempt -> {});
    private final ExecutorContext context = TestContexts.of(clock, watchdog);
    private final Quarantine quarantine = context.quarantine();
    /** The latches that the handlers wait for, by token. */
    private final Map<Long, CountDownLatch> ends = new ConcurrentHashMap<>();

    private final Set<Long> running = ConcurrentHashMap.newKeySet();
    private final Map<Long, Outcome> ended = new ConcurrentHashMap<>();
    private final QueueSpec spec = QueueSpec.queue("orders")
            .source(new ScriptedSource())
            .store(new ScriptedStore())
            .policy(QueuePolicy.ordered(8))
            .handler("pay", task -> {
                running.add(task.token());
                end(task.token()).await();
                running.remove(task.token());
                return Result.done();
            })
            .build();
    private final TaskRunner runner = new TaskRunner(
            spec,
            context,
            new OutcomeCounters(),
            Gates.of(spec, clock),
            again -> {},
            (run, outcome) -> ended.put(run.token(), outcome));

    private final WorkerPool pool = new WorkerPool(8, HandlerThreads.platform("test-"), watchdog, runner);

    @AfterEach
    void stop() {
        runner.refuse();
        pool.interruptAll();
        pool.close();
        await().until(() -> pool.threads() == 0);
    }

    private CountDownLatch end(long token) {
        return ends.computeIfAbsent(token, t -> new CountDownLatch(1));
    }

    private static Task task() {
        return new Task(null, "orders", "pay", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
    }

    private Run start(Run run) {
        pool.start(List.of(run));
        return run;
    }

    private Run ordinary(long offset) {
        return start(TestRuns.of(task(), offset));
    }

    private Run suspect(long offset) {
        return start(TestRuns.lapsed(task(), offset, 2, TestRuns.FOREVER));
    }

    private void awaitRunning(Run... runs) {
        List<Long> tokens = List.of(runs).stream().map(Run::token).toList();
        await().untilAsserted(() -> assertThat(running).containsExactlyInAnyOrderElementsOf(tokens));
    }

    private void awaitEnded(Run run) {
        end(run.token()).countDown();
        await().untilAsserted(() -> assertThat(ended).containsKey(run.token()));
    }

    /** Waits until this many workers wait for the quarantine. */
    private void awaitHeldBack(int workers) {
        await().until(() -> pool.threads() - running.size() >= workers);
    }

    @Test
    void aSuspectWaitsForRunningTasksAndHoldsBackLaterOnes() {
        Run neighbour = ordinary(1);
        awaitRunning(neighbour);
        Run suspect = suspect(2);
        awaitHeldBack(1);
        await().until(() -> !quarantine.admits(new WorkerSlot()));
        Run later = ordinary(3);
        awaitHeldBack(2);
        awaitRunning(neighbour);

        awaitEnded(neighbour);
        awaitRunning(suspect);

        awaitEnded(suspect);
        awaitRunning(later);
    }

    @Test
    void aTaskWithOneLapseRunsLikeAnyOther() {
        Run neighbour = ordinary(1);
        Run once = start(TestRuns.lapsed(task(), 2, 1, TestRuns.FOREVER));

        awaitRunning(neighbour, once);
    }

    @Test
    void aSuspectWaitsForLongTasksForALimitedTimeOnly() {
        Run neighbour = ordinary(1);
        awaitRunning(neighbour);
        Run suspect = suspect(2);
        await().until(() -> !quarantine.admits(new WorkerSlot()));

        clock.advance(Quarantine.ALONE_MILLIS);

        awaitRunning(neighbour, suspect);
    }

    @Test
    void aLongSuspectHoldsOthersBackForALimitedTimeOnly() {
        Run suspect = suspect(1);
        awaitRunning(suspect);
        Run later = ordinary(2);
        awaitHeldBack(1);
        awaitRunning(suspect);

        clock.advance(Quarantine.ALONE_MILLIS);

        awaitRunning(suspect, later);
    }

    @Test
    void otherTasksHaveTheSameTimeBeforeTheNextSuspect() {
        Run first = suspect(1);
        awaitRunning(first);
        clock.advance(4_000);
        Run second = suspect(2);
        Run later = ordinary(3);
        awaitHeldBack(2);

        awaitEnded(first);
        awaitRunning(later);
        awaitEnded(later);
        clock.advance(3_999);
        Run still = ordinary(4);
        awaitRunning(still);
        awaitEnded(still);
        assertThat(running).isEmpty();
        clock.advance(1);

        awaitRunning(second);
    }

    @Test
    void tasksHeldBackPastTheirLeaseOrAtAStopAreNotStarted() {
        Run suspect = suspect(1);
        awaitRunning(suspect);
        Run expires = start(TestRuns.of(task(), 2, 1, clock.millis() + 5_000));
        Run waits = suspect(3);
        Run stays = ordinary(4);
        awaitHeldBack(3);

        clock.advance(5_000);
        await().untilAsserted(() -> assertThat(ended).containsEntry(expires.token(), Outcome.NotStarted.INSTANCE));

        runner.refuse();
        await().untilAsserted(() -> assertThat(ended)
                .containsEntry(waits.token(), Outcome.NotStarted.INSTANCE)
                .containsEntry(stays.token(), Outcome.NotStarted.INSTANCE));
        awaitRunning(suspect);
    }
}
