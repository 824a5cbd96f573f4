package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Handler;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Delivery;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.StartPolicy;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QueueLoopTest {

    private static final Partition P0 = Partition.of("orders", 0);
    private static final Partition P1 = Partition.of("orders", 1);
    private static final Source.Facts FACTS = new Source.Facts(1, "topic", 0, 0);

    private final ScriptedSource source = new ScriptedSource();
    private final ScriptedStore store = new ScriptedStore();
    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(ExecutorClock.system(), 10_000, attempt -> {});
    private final ConcurrentLinkedQueue<Long> ran = new ConcurrentLinkedQueue<>();
    private QueueLoop loop = loop(task -> ran.add(Long.parseLong(task.id().substring("orders:0:".length()))));

    private QueueLoop loop(Handler.Action action) {
        return loop(action, TestContexts.TIMINGS);
    }

    private QueueLoop loop(Handler.Action action, LoopTimings timings) {
        return loop(action, timings, QueuePolicy.ordered(4));
    }

    private QueueLoop loop(Handler.Action action, LoopTimings timings, QueuePolicy policy) {
        return loop(action, timings, policy, null);
    }

    private QueueLoop loop(
            Handler.Action action, LoopTimings timings, QueuePolicy policy, @Nullable SlotShares shares) {
        QueueSpec spec = QueueSpec.queue("orders")
                .source(source)
                .store(store)
                .policy(policy)
                .defaultType("any")
                .action("any", action)
                .build();
        ExecutorContext context = TestContexts.sharing(
                TestContexts.of(ExecutorClock.system(), watchdog, timings, ExecutorMetrics.NONE), shares);
        return new QueueLoop(spec, context, HandlerThreads.platform("test-"));
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.requestStop();
        assertThat(loop.awaitEnd(20_000)).isTrue();
    }

    private void assign(Partition partition) {
        source.then(events -> events.assigned(partition, FACTS));
        await().until(() -> source.calls.contains("open " + partition));
    }

    private void deliver(int first, int count) {
        List<Delivery> deliveries = new ArrayList<>();
        for (int offset = first; offset < first + count; offset++) {
            deliveries.add(Delivery.of(offset, Task.of("orders", "k" + offset % 3, new byte[0])));
        }
        source.then(events -> events.delivered(P0, deliveries, first + count));
    }

    @Test
    void deliveriesAreClaimedRunSettledAndCommitted() {
        loop.start();
        assign(P0);
        deliver(0, 10);

        await().until(() -> source.calls.contains("commit " + P0 + " 10"));
        assertThat(ran).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        QueueStatus status = loop.status();
        assertThat(status.succeeded()).isEqualTo(10);
        assertThat(status.partitions()).isEqualTo(1);
        assertThat(status.healthy()).isTrue();
    }

    @Test
    void tasksThatAreDrainedBehindADeadHeadNameIt() throws InterruptedException {
        stop();
        loop = loop(
                task -> {
                    throw new FatalTaskException("no such order");
                },
                TestContexts.TIMINGS,
                QueuePolicy.ordered(4).withDeadHead(DeadHead.DRAIN));
        loop.start();
        assign(P0);
        List<Delivery> deliveries = new ArrayList<>();
        for (int offset = 0; offset < 3; offset++) {
            deliveries.add(Delivery.of(offset, Task.of("orders", "k", new byte[0])));
        }
        source.then(events -> events.delivered(P0, deliveries, 3));

        await().until(() -> source.calls.contains("commit " + P0 + " 3"));
        assertThat(store.requests)
                .filteredOn(StoreRequest.TakeCustody.class::isInstance)
                .flatExtracting(request -> ((StoreRequest.TakeCustody) request).entries())
                .extracting(entry -> entry.position() + ": "
                        + Envelope.decode("orders", entry.envelope()).error())
                .containsExactly(
                        "1:1: drained behind @0/1:0, the head of its key",
                        "1:2: drained behind @0/1:0, the head of its key");
    }

    @Test
    void aTestMayDriveTheLoopStepByStep() {
        source.then(events -> events.assigned(P0, FACTS));
        for (int i = 0; i < 100 && !source.calls.contains("open " + P0); i++) {
            loop.step();
        }
        deliver(0, 3);
        for (int i = 0; i < 100 && !source.calls.contains("commit " + P0 + " 3"); i++) {
            loop.step();
        }

        assertThat(source.calls).contains("commit " + P0 + " 3");
    }

    @Test
    void aRevokedPartitionIsReleasedBeforeTheCallReturns() {
        loop.start();
        assign(P0);
        assign(P1);
        deliver(0, 3);
        await().until(() -> ran.size() == 3);
        List<Long> released = new ArrayList<>();
        source.then(events -> {
            events.revoked(List.of(P0));
            released.add(store.count(StoreRequest.Release.class));
            source.calls.add("returned");
        });

        await().until(() -> source.calls.contains("returned"));
        assertThat(released).containsExactly(1L);
        await().until(() -> loop.status().partitions() == 1);
        assertThat(source.calls.indexOf("commit " + P0 + " 3"))
                .as("the last commit comes while the partition is still ours")
                .isBetween(0, source.calls.indexOf("returned"));
    }

    @Test
    void aRevokedPartitionIsGivenUpWithoutAnAnswerOfTheStore() throws InterruptedException {
        stop();
        loop = loop(task -> {}, new LoopTimings(20, 20, 20));
        loop.start();
        assign(P0);
        store.silent = true;
        source.then(events -> {
            events.revoked(List.of(P0));
            source.calls.add("returned");
        });

        await().until(() -> source.calls.contains("returned"));
        await().until(() -> loop.status().partitions() == 0);
        assertThat(loop.status().state()).isEqualTo(QueueStatus.State.RUNNING);
    }

    /** A replica may be away for long, while the broker waits for the call to return. */
    @Test
    void aRevokedPartitionIsGivenUpInTimeAlthoughItsCutIsNotDurable() throws InterruptedException {
        stop();
        loop = loop(task -> {}, new LoopTimings(20, 20, 20));
        store.durable = false;
        loop.start();
        assign(P0);
        source.then(events -> {
            events.cut(P0, 0);
            events.revoked(List.of(P0));
            source.calls.add("returned");
        });

        await().until(() -> source.calls.contains("returned"));
        await().until(() -> loop.status().partitions() == 0);
        assertThat(store.count(StoreRequest.Release.class)).isZero();
    }

    @Test
    void aLostPartitionCanBeAssignedAgain() {
        loop.start();
        assign(P0);
        source.calls.clear();
        source.then(events -> {
            events.lost(List.of(P0));
            events.assigned(P0, FACTS);
        });
        await().until(() -> source.calls.contains("open " + P0));
        deliver(0, 2);

        await().until(() -> source.calls.contains("commit " + P0 + " 2"));
        assertThat(loop.status().partitions()).isEqualTo(1);
    }

    @Test
    void aPartitionThatIsAssignedAgainIsAcquiredOnceItsNewLinkIsUp() {
        loop.start();
        assign(P0);
        assign(P1);
        source.then(events -> events.revoked(List.of(P0)));
        // No outcome of it waits, so its store link is closed.
        await().until(() -> !store.listeners.containsKey(P0));
        source.calls.clear();
        store.slowLinks = true;
        source.then(events -> events.assigned(P0, FACTS));
        await().until(() -> store.listeners.containsKey(P0));
        await().until(() -> loop.status().partitionsWithoutStore() == 1);
        store.listeners.get(P0).up();

        await().until(() -> source.calls.contains("open " + P0));
        deliver(0, 2);
        await().until(() -> source.calls.contains("commit " + P0 + " 2"));
    }

    @Test
    void eventsDuringAFlushAreHandledAfterIt() {
        source.answerInsideCalls();
        loop.start();
        assign(P0);
        deliver(0, 2);
        await().until(() -> source.calls.contains("commit " + P0 + " 2"));
        deliver(2, 2);

        await().until(() -> source.calls.contains("commit " + P0 + " 4"));
    }

    @Test
    void stoppingWaitsForRunningHandlersAndRecordsTheirOutcome() throws InterruptedException {
        stop();
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        loop = loop(task -> {
            started.countDown();
            go.await();
        });
        loop.start();
        assign(P0);
        deliver(0, 1);
        started.await();

        loop.requestStop();
        await().until(source::closed);
        assertThat(source.calls).containsSubsequence("close " + P0, "closed");
        assertThat(loop.awaitEnd(0)).as("the handler still runs").isFalse();
        go.countDown();

        assertThat(loop.awaitEnd(20_000)).isTrue();
        assertThat(store.count(StoreRequest.SettleLate.class)).isEqualTo(1);
        assertThat(loop.status().state()).isEqualTo(QueueStatus.State.STOPPED);
        assertThat(loop.status().succeeded()).isEqualTo(1);
        loop.requestStop();
        assertThat(loop.awaitEnd(0)).isTrue();
    }

    @Test
    void handlersThatOutlastTheDrainTimeoutAreInterruptedAndTheirTasksReturned() throws InterruptedException {
        stop();
        CountDownLatch started = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        loop = loop(
                task -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                    }
                },
                new LoopTimings(1_000, 50, 5_000));
        loop.start();
        assign(P0);
        deliver(0, 1);
        started.await();
        loop.requestStop();

        assertThat(loop.awaitEnd(20_000)).isTrue();
        assertThat(interrupted).hasValue(1);
        assertThat(loop.status().notStarted()).isEqualTo(1);
    }

    @Test
    void aBugFailsTheLoopAndTheStatusSaysSo() {
        loop.start();
        assign(P0);
        source.then(events -> {
            throw new IllegalStateException("a bug in the source");
        });

        await().until(source::closed);
        await().until(() -> loop.status().state() == QueueStatus.State.FAILED);
        assertThat(loop.status().healthy()).isFalse();
        assertThat(loop.status().problem()).contains("a bug in the source").contains("restart");
    }

    @Test
    void aLoopThatFailsLeavesItsSlotsToTheOtherQueues() throws InterruptedException {
        stop();
        SlotShares shares = new SlotShares(4);
        SlotShares.Member other = shares.join(StartPolicy.DEFAULT, 4, () -> {});
        CountDownLatch started = new CountDownLatch(4);
        loop = loop(
                task -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                },
                TestContexts.TIMINGS,
                QueuePolicy.ordered(4).withStarts(new StartPolicy(1, 1, null)),
                shares);
        loop.start();
        assign(P0);
        List<Delivery> deliveries = new ArrayList<>();
        for (int offset = 0; offset < 10; offset++) {
            deliveries.add(Delivery.of(offset, Task.of("orders", "key" + offset, new byte[0])));
        }
        source.then(events -> events.delivered(P0, deliveries, 10));
        started.await();
        assertThat(other.turn(0, 100)).isZero();

        source.then(events -> {
            throw new IllegalStateException("a bug in the source");
        });

        assertThat(loop.awaitEnd(20_000)).isTrue();
        assertThat(loop.status().state()).isEqualTo(QueueStatus.State.FAILED);
        assertThat(other.turn(0, 100)).isEqualTo(4);
    }

    @Test
    void theStatusNamesAnUnreachableStore() {
        store.reachable = false;
        loop.start();
        source.then(events -> events.assigned(P0, FACTS));
        await().until(() -> loop.status().partitions() == 1);
        assertThat(loop.status().healthy()).isFalse();
        assertThat(loop.status().problem()).contains("1 of 1 partitions");

        store.listeners.get(P0).up();
        await().until(() -> loop.status().healthy());
        store.listeners.get(P0).down("connection refused");
        await().until(() -> !loop.status().healthy());
        assertThat(loop.status().problem()).contains("connection refused");
        store.listeners.get(P0).up();
        await().until(() -> loop.status().healthy());
    }

    @Test
    void aPausedQueueStartsNothing() {
        loop.start();
        assign(P0);
        loop.pauseStarts(true);
        deliver(0, 3);
        // This step comes after the delivery, so the tasks are in memory now.
        source.then(events -> source.calls.add("delivered"));
        await().until(() -> source.calls.contains("delivered"));
        assertThat(ran).isEmpty();

        loop.pauseStarts(false);
        await().until(() -> ran.size() == 3);
    }

    @Test
    void aLoopStartsOnlyOnce() {
        loop.start();
        assertThatThrownBy(() -> loop.start()).hasMessageContaining("orders").hasMessageContaining("RUNNING");
    }

    @Test
    void stoppingALoopThatNeverStartedClosesItsSource() throws InterruptedException {
        stop();
        assertThat(source.closed()).isTrue();
        assertThatThrownBy(() -> loop.start()).hasMessageContaining("STOPPED");
    }
}
