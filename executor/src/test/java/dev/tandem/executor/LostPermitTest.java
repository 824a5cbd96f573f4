package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.BatchOptions;
import dev.tandem.api.Result;
import dev.tandem.executor.RunBatch.Waiting;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No handler begins, or goes on, when its task has lost its permit, wherever the task was then. */
class LostPermitTest {

    private static final long LEASE = 10_000;

    private final RunnerFixture fixture = new RunnerFixture();
    private final ManualClock clock = fixture.clock;
    private final AskedLimits store = new AskedLimits();
    private final Permits permits = new Permits("one", store, LEASE, clock);
    private final List<Run> let = new ArrayList<>();
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private final Map<Run, Outcome> outcomes = new ConcurrentHashMap<>();
    private final Set<Run> interrupted = ConcurrentHashMap.newKeySet();

    private PermitGate gate(QueueSpec spec) {
        TaskLimit limit = new TaskLimit("erp", 2, new TaskPattern(List.of(), List.of("limited")));
        return new PermitGate(spec, permits, List.of(limit), clock, () -> {}, interrupted::addAll);
    }

    private static Run run(String key, long offset, int lapses) {
        return TestRuns.lapsed(RunnerFixture.task("ship", "", key), offset, lapses, TestRuns.FOREVER);
    }

    private TaskRunner runner(QueueSpec spec, Gates gates) {
        ExecutorContext context = TestContexts.of(clock, fixture.watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE);
        return new TaskRunner(spec, context, fixture.counters, gates, let::add, outcomes::put);
    }

    private void letGo(Gates gates, Run... runs) {
        Stream.of(runs)
                .forEach(run ->
                        assertThat(gates.mustWait(run, () -> let.add(run))).isTrue());
        store.answer(2);
        assertThat(let).containsExactly(runs);
    }

    @Test
    void aRunThatWaitedForAThreadMeanwhileGoesBackWithoutAnAttempt() {
        assertGoesBack(run("limited", 1, 0));
    }

    @Test
    void soDoesOneThatIsToRunAlone() {
        assertGoesBack(run("limited", 1, Quarantine.SUSPECT_AFTER));
    }

    private void assertGoesBack(Run run) {
        QueueSpec spec = RunnerFixture.queue()
                .action("ship", task -> handled.add(task.position()))
                .build();
        Gates gates = new Gates(List.of(gate(spec)));
        TaskRunner runner = runner(spec, gates);
        letGo(gates, run);
        // Nobody has ticked since, as after a process that stood still.
        clock.advance(LEASE);

        runner.run(run, fixture.slot);

        assertThat(outcomes).containsEntry(run, Outcome.NotStarted.INSTANCE);
        assertThat(handled).isEmpty();
        assertThat(permits.status()).allMatch(each -> each.used() == 0);
    }

    @Test
    void aPermitThatWasLostStaysLostWhenOthersComeBack() {
        QueueSpec spec = RunnerFixture.queue().action("ship", task -> {}).build();
        PermitGate gate = gate(spec);
        Run run = run("limited", 1, 0);
        letGo(new Gates(List.of(gate)), run);
        clock.advance(LEASE);
        permits.tick();
        store.answer(2);

        assertThat(interrupted).containsExactly(run);
        assertThat(gate.hasLost(run)).isTrue();
    }

    @Test
    void aBatchRunsWithoutThoseThatHaveLostTheirPermits() {
        BatchedHandler handler = new BatchedHandler(
                tasks -> {
                    tasks.forEach(task -> handled.add(task.position()));
                    return Collections.nCopies(tasks.size(), Result.done());
                },
                BatchOptions.of(100, "50ms"));
        QueueSpec spec = RunnerFixture.queue().handler("ship", handler).build();
        Gates gates = new Gates(List.of(gate(spec)));
        BatchRunner batches = batches(spec, gates);
        Run limited = run("limited", 1, 0);
        Run free = run("free", 2, 0);
        letGo(gates, limited);
        clock.advance(LEASE);

        batches.run(batches.add(batch(handler, limited, free)), fixture.slot);

        assertThat(handled).containsExactly("0/1:2");
        assertThat(outcomes)
                .containsEntry(limited, Outcome.NotStarted.INSTANCE)
                .containsEntry(free, Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aBatchThatRunsIsInterruptedForAnyOfItsTasks() {
        CountDownLatch never = new CountDownLatch(1);
        BatchedHandler handler = new BatchedHandler(
                tasks -> {
                    handled.add(tasks.size() + " tasks");
                    never.await();
                    return List.of();
                },
                BatchOptions.of(100, "50ms"));
        QueueSpec spec = RunnerFixture.queue().handler("ship", handler).build();
        Gates gates = new Gates(List.of(gate(spec)));
        BatchRunner batches = batches(spec, gates);
        Run free = run("free", 1, 0);
        Run limited = run("limited", 2, 0);
        letGo(gates, limited);
        WorkerPool pool = new WorkerPool(1, HandlerThreads.platform("test-"), fixture.watchdog, batches);
        pool.start(List.of(batches.add(batch(handler, free, limited))));
        await().until(() -> !handled.isEmpty());

        pool.interrupt(Set.of(limited));

        await().until(() -> outcomes.size() == 2);
        assertThat(outcomes.values()).containsOnly(Outcome.NotStarted.INSTANCE);
        pool.close();
    }

    private BatchRunner batches(QueueSpec spec, Gates gates) {
        ExecutorContext context = TestContexts.of(clock, fixture.watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE);
        return new BatchRunner(spec, context, runner(spec, gates), gates, (runs, ended) -> {
            for (int i = 0; i < runs.size(); i++) {
                outcomes.put(runs.get(i), ended.get(i));
            }
        });
    }

    private RunBatch batch(BatchedHandler handler, Run... runs) {
        return new RunBatch(
                handler,
                Stream.of(runs).map(each -> new Waiting(each, clock.millis())).toList());
    }
}
