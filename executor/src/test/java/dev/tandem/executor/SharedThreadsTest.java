package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues that share slots never run more tasks at once than there are slots, whoever lets the tasks go. */
class SharedThreadsTest {

    private static final Task TASK = Task.of("q", null, new byte[0]);

    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(ExecutorClock.system(), 1_000, attempt -> {});
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final List<WorkerPool> pools = new ArrayList<>();

    private WorkerPool pool(int threads, SharedThreads shared, Runnable handler) {
        WorkerPool pool = new WorkerPool(
                threads,
                HandlerThreads.platform("test-shared-"),
                watchdog,
                (run, slot) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    handler.run();
                    running.decrementAndGet();
                    done.incrementAndGet();
                },
                null,
                shared);
        pools.add(pool);
        return pool;
    }

    @AfterEach
    void close() {
        pools.forEach(WorkerPool::close);
        await().atMost(Duration.ofSeconds(60)).until(() -> pools.stream().allMatch(each -> each.threads() == 0));
    }

    private static List<Run> runs(int count) {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(TestRuns.of(TASK, i));
        }
        return runs;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void allRunsOfAllQueuesRunWithinTheBound(long seed) {
        Random random = new Random(seed);
        int slots = 1 + random.nextInt(4);
        SharedThreads shared = new SharedThreads(slots);
        for (int i = 0; i < 3; i++) {
            // Some runs last long enough that the others of their pool wait for threads of other queues.
            int every = 20 + random.nextInt(50);
            pool(1 + random.nextInt(4), shared, () -> {
                if (done.get() % every == 0) {
                    LockSupport.parkNanos(300_000);
                }
            });
        }
        int total = 0;
        while (total < 20_000) {
            List<Run> some = runs(random.nextInt(40));
            total += some.size();
            pools.get(random.nextInt(3)).start(some);
        }
        int wanted = total;
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(done).as("seed %s", seed).hasValue(wanted));
        assertThat(most.get()).as("seed %s", seed).isBetween(1, slots);
    }

    @Test
    void aClosedPoolStillRunsWhatWaitsForThreadsOfOthers() {
        CountDownLatch go = new CountDownLatch(1);
        SharedThreads shared = new SharedThreads(1);
        pool(2, shared, () -> LockSupport.parkNanos(1)).start(runs(1));
        await().until(() -> done.get() == 1);
        pool(2, shared, () -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .start(runs(1));
        await().until(() -> running.get() == 1);
        pools.get(0).start(runs(10));
        pools.get(0).close();
        assertThat(done).hasValue(1);

        go.countDown();
        await().until(() -> done.get() == 12);
        assertThat(most).hasValue(1);
    }

    @Test
    void aThreadOfAQueueIsFreeOnlyWhileOneOfAllIs() {
        AtomicInteger told = new AtomicInteger();
        SharedThreads shared = new SharedThreads(1);
        FreeThreads threads = new FreeThreads(4);
        threads.share(shared);
        threads.whenFreed(told::incrementAndGet);
        assertThat(threads.count()).isEqualTo(4);

        assertThat(shared.take(() -> {})).isTrue();
        assertThat(threads.count()).isZero();
        assertThat(threads.reserve()).isFalse();
        shared.giveBack();
        assertThat(told).hasValue(1);
        assertThat(threads.reserve()).isTrue();
        shared.take(() -> {});
        shared.giveBack();
        assertThat(told).as("told once").hasValue(1);
    }
}
