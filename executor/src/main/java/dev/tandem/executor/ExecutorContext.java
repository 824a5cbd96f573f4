package dev.tandem.executor;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.MemoryBudget;

/**
 * The parts of one executor that all its queues share. The watchdog, the quarantine and the metrics are thread-safe.
 *
 * @param executorId {@link Executor#id}
 */
record ExecutorContext(
        String executorId,
        CoreSettings settings,
        ExecutorClock clock,
        LoopTimings timings,
        TimeoutWatchdog watchdog,
        Quarantine quarantine,
        ExecutorMetrics metrics,
        MemoryBudget memory) {}
