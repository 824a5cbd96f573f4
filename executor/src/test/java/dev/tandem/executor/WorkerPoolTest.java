package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {

    private static final Task TASK = Task.of("q", null, new byte[0]);

    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(ExecutorClock.system(), 1_000, attempt -> {});
    private WorkerPool pool = new WorkerPool(1, HandlerThreads.platform("unused-"), watchdog, (run, slot) -> {});

    @AfterEach
    void close() {
        pool.close();
        await().until(() -> pool.threads() == 0);
    }

    private void pool(int bound, WorkerPool.RunAction action) {
        pool = new WorkerPool(bound, HandlerThreads.platform("test-run-"), watchdog, action);
    }

    private static List<Run> runs(int count) {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(TestRuns.of(TASK, i));
        }
        return runs;
    }

    @Test
    void runsEveryRunOnce() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicInteger count = new AtomicInteger();
        AtomicLong sum = new AtomicLong();
        pool(7, (run, slot) -> {
            count.incrementAndGet();
            sum.addAndGet(run.sequence());
        });
        long expected = 0;
        int total = 0;
        while (total < 200_000) {
            List<Run> batch = runs(random.nextInt(300));
            expected += batch.stream().mapToLong(Run::sequence).sum();
            total += batch.size();
            pool.start(batch);
        }
        int wanted = total;
        await().untilAsserted(() -> assertThat(count.get()).as("seed " + seed).isEqualTo(wanted));
        assertThat(sum.get()).isEqualTo(expected);
        assertThat(pool.threads()).isLessThanOrEqualTo(7);
    }

    @Test
    void runsThatBlockGetAThreadEach() throws InterruptedException {
        CountDownLatch allThere = new CountDownLatch(50);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        pool(50, (run, slot) -> {
            allThere.countDown();
            awaitQuietly(go);
            done.incrementAndGet();
        });
        pool.start(runs(60));

        allThere.await();
        assertThat(pool.threads()).isEqualTo(50);
        go.countDown();
        await().until(() -> done.get() == 60);
    }

    @Test
    void aRunNeverWaitsBehindABlockedOneWhileAThreadIsFree() {
        // One run of each round blocks until the others of its round have ended. A lost wake-up would hang here.
        for (int round = 0; round < 2_000; round++) {
            CountDownLatch others = new CountDownLatch(3);
            CountDownLatch all = new CountDownLatch(4);
            WorkerPool.RunAction action = (run, slot) -> {
                if (run.sequence() == 0) {
                    awaitQuietly(others);
                } else {
                    others.countDown();
                }
                all.countDown();
            };
            if (round % 500 == 0) {
                close();
                pool(2, (run, slot) -> current.run(run, slot));
            }
            current = action;
            pool.start(runs(4));
            awaitQuietly(all);
        }
    }

    private volatile WorkerPool.RunAction current = (run, slot) -> {};

    @Test
    void aClosedPoolStillRunsWhatWaits() {
        AtomicInteger done = new AtomicInteger();
        pool(1, (run, slot) -> done.incrementAndGet());
        pool.start(runs(1_000));
        pool.close();
        await().until(() -> done.get() == 1_000);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
