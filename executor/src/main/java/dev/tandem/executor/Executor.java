package dev.tandem.executor;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of one or more queues in this process. While it runs, operators see it, and a queue that they pause starts
 * no task here. Thread-safe. Can be started once; stopping it again does nothing.
 */
public final class Executor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Executor.class);

    /** The default of {@link Builder#concurrency}: 256 handlers. */
    public static final int DEFAULT_CONCURRENCY = 256;

    /** The default of {@link Builder#drainTimeout}: 25 s. */
    public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(25);

    private static final long STUCK_AFTER_MILLIS = 10_000;

    /** How much longer than its own timings a loop may take to stop before that is an error. */
    private static final long STOP_MARGIN_MILLIS = 5_000;

    private final String id;
    private final TimeoutWatchdog watchdog;
    private final ProgressWriter progress;
    private final ExecutorLimits limits;
    private final List<QueueLoop> loops = new ArrayList<>();
    private final Registrations registrations;

    private Executor(Builder from) {
        this.id = from.uniqueId == null ? newId(from.id) : from.uniqueId;
        ExecutorMetrics metrics = from.metrics;
        this.registrations = new Registrations(id);
        this.watchdog = new TimeoutWatchdog(from.clock, STUCK_AFTER_MILLIS, attempt -> reportStuck(attempt, metrics));
        this.progress = new ProgressWriter(from.progressInterval);
        this.limits = new ExecutorLimits(id, from.settings.leaseMillis(), from.clock, from.limits, from.rates);
        ExecutorContext context = new ExecutorContext(
                id,
                from.settings,
                from.clock,
                LoopTimings.draining(from.drainTimeout.toMillis(), from.settings.horizonMillis()),
                watchdog,
                new Quarantine(from.clock, watchdog::isAnotherSlotBusy),
                metrics,
                from.memory,
                from.random,
                registrations::peers,
                progress,
                limits,
                registrations::pausedTasks,
                from.shares());
        for (QueueSpec spec : from.queuesWithinConcurrency()) {
            QueueLoop loop = new QueueLoop(
                    spec.sharedWith(() -> registrations.sharing(spec.name())),
                    context,
                    from.handlerThreads("tandem-" + spec.name() + "-run-"));
            registrations.add(spec, loop);
            loops.add(loop);
        }
    }

    /** Returns an id that no other executor has: the name, and random digits. */
    public static String newId(String name) {
        return name + "-" + RandomNames.hex(8);
    }

    /** Returns a builder with the defaults and no queues. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the id of this executor: the name given to the builder, and random digits. Unique for each instance. */
    public String id() {
        return id;
    }

    /**
     * Registers the executor in the stores of its queues, so that operators see it and can pause its queues, and starts every
     * queue. Waits a second at most for each store that does not answer. Queues whose broker or store cannot be reached yet
     * wait for it in the background.
     *
     * @throws IllegalStateException if the executor was started or stopped before
     */
    public void start() {
        if (loops.stream().allMatch(QueueLoop::isNew)) {
            // Before any partition is leased, so that executors that start together know of each other.
            registrations.open();
        }
        loops.forEach(QueueLoop::start);
        watchdog.start();
        limits.start();
        log.info("Executor {} started with {} {}", id, loops.size(), loops.size() == 1 ? "queue" : "queues");
    }

    /**
     * Stops every queue: releases the partitions, waits for the running handlers up to the drain timeout, then
     * interrupts them and records their outcomes. Returns when all that is done; a second call waits for the first. If
     * the calling thread is interrupted, returns early with its interrupt flag set.
     */
    public void stop() {
        loops.forEach(QueueLoop::requestStop);
        registrations.close();
        boolean interrupted = false;
        for (QueueLoop loop : loops) {
            try {
                long maxMillis = loop.maxStopMillis() + STOP_MARGIN_MILLIS;
                if (!loop.awaitEnd(maxMillis)) {
                    log.error("Queue {} did not stop within {} ms: {}", loop.name(), maxMillis, loop.status());
                }
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        watchdog.close();
        limits.close();
        progress.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        log.info("Executor {} stopped", id);
    }

    /** Stops the executor, like {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    /** Returns the status of every queue at this moment, in the order in which the queues were added. */
    public List<QueueStatus> status() {
        return loops.stream().map(QueueLoop::status).toList();
    }

    /** Returns what this executor has of each limit of its queues. */
    public List<LimitStatus> limits() {
        return limits.status();
    }

    /** Returns what this executor does for each rate limit of its queues. */
    public List<RateStatus> rates() {
        return limits.rates();
    }

    /** Returns whether tasks of all queues can run. */
    public boolean healthy() {
        return loops.stream().allMatch(loop -> loop.status().healthy());
    }

    /**
     * Pauses or resumes a queue in this process. A paused queue starts no task; tasks that run go on. A queue that an
     * operator has paused starts none in any process, whatever is said here.
     *
     * @throws IllegalArgumentException if this executor has no such queue
     */
    public void pause(String queue, boolean paused) {
        loop(queue).pauseStarts(paused);
    }

    /**
     * Describes what a queue holds in memory, as of the next turn of its loop, for people who look for the cause of a
     * problem. The text may be long. It names keys, which may be personal data, but no payloads.
     *
     * @return never completes if the queue's loop has ended or hangs
     * @throws IllegalArgumentException if this executor has no such queue
     */
    public CompletableFuture<String> describe(String queue) {
        return loop(queue).held().describe();
    }

    private QueueLoop loop(String queue) {
        return loops.stream()
                .filter(loop -> loop.name().equals(queue))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no queue '" + queue + "' in this executor"));
    }

    private static void reportStuck(Attempt attempt, ExecutorMetrics metrics) {
        StringBuilder stack = new StringBuilder();
        for (StackTraceElement frame : attempt.stackTrace()) {
            stack.append("\n  at ").append(frame);
        }
        log.warn(
                "Queue {}: the handler of {} has ignored its interrupt for {} ms and still occupies a slot. Stack:{}",
                attempt.queue(),
                attempt,
                STUCK_AFTER_MILLIS,
                stack);
        metrics.stuck(attempt.queue(), attempt.type());
    }

    /** Collects the settings of an executor. Not thread-safe. */
    public static final class Builder {
        private final List<QueueSpec> queues = new ArrayList<>();
        private String id = "executor";
        private @Nullable String uniqueId;
        private int concurrency = DEFAULT_CONCURRENCY;
        private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
        private CoreSettings settings = CoreSettings.DEFAULTS;
        private ExecutorClock clock = ExecutorClock.system();
        private ExecutorMetrics metrics = ExecutorMetrics.NONE;
        private MemoryBudget memory = MemoryBudget.ofHeap();
        private @Nullable Boolean virtualThreads;
        private Supplier<? extends RandomGenerator> random = ThreadLocalRandom::current;
        private Duration progressInterval = ProgressWriter.DEFAULT_INTERVAL;
        private Map<String, List<TaskLimit>> limits = Map.of();
        private Map<String, List<TaskRate>> rates = Map.of();

        private Builder() {}

        /** Sets a name for people, such as the host's. {@link Executor#id} adds random digits. Default: executor. */
        public Builder id(String name) {
            id = name;
            return this;
        }

        /** Sets the whole id, made by {@link Executor#newId}, where others must know it before the executor is built. */
        public Builder uniqueId(String value) {
            uniqueId = value;
            return this;
        }

        /**
         * Sets how many handlers may run at once, all queues together. If the queues' own concurrencies add up to more,
         * each queue gets its proportional share, at least 1.
         *
         * @param value 1 or more; default {@link #DEFAULT_CONCURRENCY}
         * @throws IllegalArgumentException if the value is less than 1
         */
        public Builder concurrency(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("executor.concurrency is " + value + ", it must be 1 or more");
            }
            concurrency = value;
            return this;
        }

        /**
         * Sets the time from {@link Executor#stop} until running handlers are interrupted.
         *
         * @param value 0 or more; default {@link #DEFAULT_DRAIN_TIMEOUT}
         * @throws IllegalArgumentException if the value is negative
         */
        public Builder drainTimeout(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("executor.drain-timeout is " + value + ", it must be 0 or more");
            }
            drainTimeout = value;
            return this;
        }

        /** Sets leases, horizon and batch sizes. All executors of a queue must have the same. */
        public Builder settings(CoreSettings value) {
            settings = value;
            return this;
        }

        /**
         * Sets the memory that delivered tasks may take, all queues together. Give the same to the sources that take one.
         * Default: {@link MemoryBudget#ofHeap}.
         */
        public Builder memory(MemoryBudget value) {
            memory = value;
            return this;
        }

        /** Sets the clocks, for tests. Default: those of this machine. */
        public Builder clock(ExecutorClock value) {
            clock = value;
            return this;
        }

        /** Sets the source of chance for the delays between attempts, for tests. Default: each thread's own. */
        public Builder random(Supplier<? extends RandomGenerator> value) {
            random = value;
            return this;
        }

        /** Sets how often progress and log lines of tasks are written, for tests: 0 for at once. Default: 1 s. */
        public Builder progressInterval(Duration value) {
            progressInterval = value;
            return this;
        }

        /** Sets the limits of tasks that run at once in all executors, by queue. Default: none. */
        public Builder limits(Map<String, List<TaskLimit>> byQueue) {
            limits = Map.copyOf(byQueue);
            return this;
        }

        /** Sets the limits of how many tasks start in a time, by queue. Default: none. */
        public Builder rates(Map<String, List<TaskRate>> byQueue) {
            rates = Map.copyOf(byQueue);
            return this;
        }

        /** Sets what receives measurements. Default: none. */
        public Builder metrics(ExecutorMetrics value) {
            metrics = value;
            return this;
        }

        /**
         * Sets whether handlers run on virtual threads. Default: yes on Java 21 and later. {@link #build} fails with
         * true on an older Java.
         */
        public Builder virtualThreads(boolean value) {
            virtualThreads = value;
            return this;
        }

        /**
         * Adds a queue.
         *
         * @throws IllegalArgumentException if a queue of that name was added before
         */
        public Builder queue(QueueSpec spec) {
            if (queues.stream().anyMatch(other -> other.name().equals(spec.name()))) {
                throw new IllegalArgumentException("Queue '" + spec.name() + "' is configured twice: leave one out");
            }
            queues.add(spec);
            return this;
        }

        /**
         * Builds the executor without starting it.
         *
         * @throws IllegalArgumentException if two queues have the same source
         * @throws IllegalStateException if virtual threads were asked for and this Java has none
         */
        public Executor build() {
            Set<Object> sources = new HashSet<>();
            for (QueueSpec spec : queues) {
                if (!sources.add(spec.source())) {
                    throw new IllegalArgumentException("Queue '" + spec.name()
                            + "' shares its source with another queue: each queue needs a source of its own");
                }
            }
            return new Executor(this);
        }

        private ThreadFactory handlerThreads(String prefix) {
            boolean virtual = virtualThreads == null ? HandlerThreads.virtualAvailable() : virtualThreads;
            return virtual ? HandlerThreads.virtual(prefix) : HandlerThreads.platform(prefix);
        }

        private boolean sharesSlots() {
            return queues.stream().anyMatch(spec -> spec.policy().starts().sharesSlots());
        }

        /** Returns what divides the slots; null if each queue has its own. */
        @Nullable
        SlotShares shares() {
            return sharesSlots() ? new SlotShares(concurrency) : null;
        }

        /** Returns the queues with their concurrencies reduced so that they fit into the executor's, unless they share that. */
        List<QueueSpec> queuesWithinConcurrency() {
            long requested = queues.stream()
                    .mapToLong(spec -> spec.policy().concurrency())
                    .sum();
            if (requested <= concurrency || sharesSlots()) {
                return queues;
            }
            List<QueueSpec> fitted = new ArrayList<>();
            for (QueueSpec spec : queues) {
                QueuePolicy policy = spec.policy();
                int share = (int) Math.max(1, (long) policy.concurrency() * concurrency / requested);
                log.info(
                        "Queue {}: concurrency is {} instead of {}, because all queues together request {} and"
                                + " executor.concurrency is {}",
                        spec.name(),
                        share,
                        policy.concurrency(),
                        requested,
                        concurrency);
                fitted.add(spec.withConcurrency(share));
            }
            return fitted;
        }
    }
}
