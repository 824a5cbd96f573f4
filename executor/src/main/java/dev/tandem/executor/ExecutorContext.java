package dev.tandem.executor;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.store.HandlerPeer;
import dev.tandem.task.store.PausedTasks;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one executor that all its queues share. The watchdog, the quarantine and the metrics are thread-safe.
 *
 * @param executorId {@link Executor#id}
 * @param random the source of chance for the delays between attempts, of the calling thread
 * @param peers returns the live executors of a queue that announce their handlers
 * @param pausedTasks returns what says which tasks of a queue operators have paused
 * @param shares divides the slots; null if each queue has its own
 */
record ExecutorContext(
        String executorId,
        CoreSettings settings,
        ExecutorClock clock,
        LoopTimings timings,
        TimeoutWatchdog watchdog,
        Quarantine quarantine,
        ExecutorMetrics metrics,
        MemoryBudget memory,
        Supplier<? extends RandomGenerator> random,
        Function<String, Collection<HandlerPeer>> peers,
        ProgressWriter progress,
        ExecutorLimits limits,
        Function<String, Supplier<PausedTasks>> pausedTasks,
        @Nullable SlotShares shares) {

    ExecutorContext(
            String executorId,
            CoreSettings settings,
            ExecutorClock clock,
            LoopTimings timings,
            TimeoutWatchdog watchdog,
            Quarantine quarantine,
            ExecutorMetrics metrics,
            MemoryBudget memory) {
        this(
                executorId,
                settings,
                clock,
                timings,
                watchdog,
                quarantine,
                metrics,
                memory,
                ThreadLocalRandom::current,
                queue -> List.of(),
                new ProgressWriter(Duration.ZERO),
                new ExecutorLimits(executorId, settings.leaseMillis(), clock, Map.of(), Map.of()),
                queue -> () -> PausedTasks.NONE,
                null);
    }

    /** Returns what bounds the threads at work of all queues; null if they do not share slots. */
    @Nullable
    SharedThreads sharedThreads() {
        return shares == null ? null : shares.threads();
    }
}
