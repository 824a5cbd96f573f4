package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.Registration.OperatorPause;
import dev.tandem.task.store.RunningTask;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue's loop whose tasks are pulled. */
class PulledQueueTest {

    private static final Partition P0 = Partition.of("orders", 0);
    private static final Source.Facts FACTS = new Source.Facts(1, "topic", 0, 0);

    private final ScriptedSource source = new ScriptedSource();
    private final ScriptedStore store = new ScriptedStore();
    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(ExecutorClock.system(), 10_000, attempt -> {});
    private final QueueLoop loop = loop();
    private final TaskLeases leases = Objects.requireNonNull(loop.leases());

    private QueueLoop loop() {
        QueueSpec spec = QueueSpec.queue("orders")
                .source(source)
                .store(store)
                .policy(QueuePolicy.ordered(100))
                .pulled(PullPolicy.DEFAULTS)
                .build();
        LoopTimings timings = new LoopTimings(5_000, 200, 5_000);
        ExecutorContext context = TestContexts.of(ExecutorClock.system(), watchdog, timings, ExecutorMetrics.NONE);
        return new QueueLoop(spec, context, HandlerThreads.platform("test-"));
    }

    @BeforeEach
    void start() {
        loop.start();
        source.then(events -> events.assigned(P0, FACTS));
        await().until(() -> source.calls.contains("open " + P0));
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.requestStop();
        assertThat(loop.awaitEnd(20_000)).isTrue();
    }

    /** Delivers ten tasks of five keys. */
    private void deliver() {
        List<Delivery> deliveries = new ArrayList<>();
        for (int offset = 0; offset < 10; offset++) {
            deliveries.add(Delivery.of(offset, Task.of("orders", "k" + offset % 5, new byte[0])));
        }
        source.then(events -> events.delivered(P0, deliveries, 10));
        await().until(() -> leases.status().startable() == 5);
    }

    private List<LeasedTask> lease(int max, long waitMillis) throws Exception {
        return leases.lease(new LeaseCall(max, 1 << 20, waitMillis, 0, "")).get(60, TimeUnit.SECONDS);
    }

    private long claims() {
        return store.requests.stream()
                .filter(StoreRequest.SettleAndClaim.class::isInstance)
                .mapToLong(request ->
                        ((StoreRequest.SettleAndClaim) request).claims().size())
                .sum();
    }

    private void finish(LeasedTask task) throws Exception {
        LeaseAnswer answer =
                leases.apply(task.lease(), new LeaseRequest.Finish(null)).get(60, TimeUnit.SECONDS);
        assertThat(answer).isEqualTo(LeaseAnswer.done());
    }

    @Test
    void nothingIsClaimedThatNoWorkerAskedFor() throws Exception {
        deliver();
        assertThat(claims()).isZero();

        assertThat(lease(2, 0)).hasSize(2);
        assertThat(claims()).isEqualTo(2);
        assertThat(lease(10, 5_000)).as("one of each key").hasSize(3);
        assertThat(lease(10, 0)).isEmpty();
        assertThat(leases.status().startable()).isZero();
    }

    @Test
    void theExecutorSaysWhichWorkerHasATaskAndUntilWhen() throws Exception {
        deliver();
        long before = System.currentTimeMillis();
        LeasedTask leased = leases.lease(new LeaseCall(1, 1 << 20, 5_000, 20_000, "worker 1"))
                .get(60, TimeUnit.SECONDS)
                .get(0);

        List<RunningTask> running = loop.held().running().get(60, TimeUnit.SECONDS);

        assertThat(running).hasSize(1);
        RunningTask task = running.get(0);
        assertThat(task.id()).isEqualTo(leased.id());
        assertThat(task.attempt()).isEqualTo(1);
        assertThat(task.since()).isBetween(before - 1, System.currentTimeMillis() + 1);
        assertThat(task.worker().name()).isEqualTo("worker 1");
        assertThat(task.worker().until()).isBetween(before + 19_999, System.currentTimeMillis() + 20_001);
        finish(leased);
        assertThat(loop.held().running().get(60, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void theNextTaskOfAKeyFollowsWhenAWorkerHasFinishedTheOneBefore() throws Exception {
        deliver();
        List<LeasedTask> first = lease(10, 5_000);
        CompletableFuture<List<LeasedTask>> waiting = leases.lease(new LeaseCall(10, 1 << 20, 5_000, 0, ""));
        finish(first.get(2));

        List<LeasedTask> second = waiting.get(60, TimeUnit.SECONDS);
        assertThat(second)
                .extracting(LeasedTask::key)
                .containsExactly(first.get(2).key());

        finish(second.get(0));
        for (LeasedTask task : first) {
            finish(task);
        }
        for (int finished = 6; finished < 10; ) {
            List<LeasedTask> tasks = lease(10, 5_000);
            for (LeasedTask task : tasks) {
                finish(task);
            }
            finished += tasks.size();
        }
        await().until(() -> source.calls.contains("commit " + P0 + " 10"));
        assertThat(loop.status().succeeded()).isEqualTo(10);
    }

    @Test
    void aPausedQueueHandsOutNothing() throws Exception {
        loop.pauseByOperator(OperatorPause.YES);
        List<Delivery> deliveries = List.of(Delivery.of(0, Task.of("orders", "k", new byte[0])));
        source.then(events -> events.delivered(P0, deliveries, 1));
        CompletableFuture<List<LeasedTask>> waiting = leases.lease(new LeaseCall(1, 1 << 20, 5_000, 0, ""));
        assertThat(lease(1, 100)).isEmpty();

        loop.pauseByOperator(OperatorPause.NO);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void tasksOfWorkersGoBackWhenTheQueueHasStopped() throws Exception {
        deliver();
        LeasedTask task = lease(1, 0).get(0);
        stop();

        LeaseAnswer answer =
                leases.apply(task.lease(), new LeaseRequest.Finish(null)).get(60, TimeUnit.SECONDS);
        assertThat(answer).isEqualTo(LeaseAnswer.lost("its executor has stopped"));
        assertThat(loop.status().notStarted()).isEqualTo(1);
    }
}
