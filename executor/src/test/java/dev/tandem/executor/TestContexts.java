package dev.tandem.executor;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.MemoryBudget;
import org.jspecify.annotations.Nullable;

/** Makes an executor's shared parts for tests of one queue. */
final class TestContexts {

    static final LoopTimings TIMINGS = new LoopTimings(5_000, 5_000, 5_000);

    /** Answers are durable at once, so that tests need not wait for a horizon. */
    static final CoreSettings SETTINGS = settings(10_000, 2_500, 500);

    private TestContexts() {}

    static CoreSettings settings(long leaseMillis, long renewMillis, long probeMillis) {
        return CoreSettings.builder()
                .leaseMillis(leaseMillis)
                .renewMillis(renewMillis)
                .horizonMillis(0)
                .probeMillis(probeMillis)
                .commitMillis(1)
                .retryMillis(50)
                .build();
    }

    static ExecutorContext of(ExecutorClock clock, TimeoutWatchdog watchdog) {
        return of(clock, watchdog, TIMINGS, ExecutorMetrics.NONE);
    }

    static ExecutorContext of(
            ExecutorClock clock, TimeoutWatchdog watchdog, LoopTimings timings, ExecutorMetrics metrics) {
        return new ExecutorContext(
                "e1",
                SETTINGS,
                clock,
                timings,
                watchdog,
                new Quarantine(clock, watchdog::isAnotherSlotBusy),
                metrics,
                MemoryBudget.ofHeap());
    }

    static ExecutorContext sharing(ExecutorContext with, @Nullable SlotShares shares) {
        return new ExecutorContext(
                with.executorId(),
                with.settings(),
                with.clock(),
                with.timings(),
                with.watchdog(),
                with.quarantine(),
                with.metrics(),
                with.memory(),
                with.random(),
                with.peers(),
                with.progress(),
                with.limits(),
                with.pausedTasks(),
                shares);
    }
}
