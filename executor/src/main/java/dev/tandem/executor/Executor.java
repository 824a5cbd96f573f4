package dev.tandem.executor;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.QueuePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of some queues in this process: the runtime around the pure core. Thread-safe; it is started once,
 * and stopping it again does nothing.
 */
public final class Executor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Executor.class);

    /** Handlers at once, all queues together, where nothing else is said. */
    public static final int DEFAULT_CONCURRENCY = 256;

    /** From the order to stop until handlers are interrupted, where nothing else is said. */
    public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(25);

    private static final long STUCK_AFTER_MILLIS = 10_000;

    private final String id;
    private final Watchdog watchdog;
    private final List<QueueLoop> loops = new ArrayList<>();

    private Executor(Builder from) {
        this.id = from.id + "-" + Writers.randomName(8);
        ExecutorMetrics metrics = from.metrics;
        this.watchdog = new Watchdog(from.time, STUCK_AFTER_MILLIS, attempt -> stuck(attempt, metrics));
        Quarantine quarantine = new Quarantine(from.time, watchdog::othersRun);
        LoopTimings timings = LoopTimings.draining(from.drainTimeout.toMillis(), from.settings.horizonMillis());
        for (QueueSpec spec : from.fitted()) {
            loops.add(new QueueLoop(
                    spec,
                    QueueLoop.coreFor(spec, from.settings, id),
                    id,
                    new Writers(),
                    from.time,
                    timings,
                    watchdog,
                    quarantine,
                    from.threads("tandem-" + spec.name() + "-run-"),
                    metrics));
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Unique per process start: the given name and something random. */
    public String id() {
        return id;
    }

    /**
     * Starts every queue and returns.
     *
     * @throws IllegalStateException if it was started or stopped before
     */
    public void start() {
        loops.forEach(QueueLoop::start);
        watchdog.start();
        log.info("Executor {} started with {} queues", id, loops.size());
    }

    /**
     * Leaves: releases the partitions, waits for the running handlers up to the drain timeout, then interrupts them.
     * Returns when all is done. A second call waits for the first.
     */
    public void stop() {
        loops.forEach(QueueLoop::requestStop);
        boolean interrupted = false;
        for (QueueLoop loop : loops) {
            try {
                if (!loop.awaitEnd(loop.stopMillis() + 5_000)) {
                    log.error("Queue {} did not stop: {}", loop.status().queue(), loop.status());
                }
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        watchdog.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        log.info("Executor {} stopped", id);
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    /** Every queue at this moment, in the order in which they were added. */
    public List<QueueStatus> status() {
        return loops.stream().map(QueueLoop::status).toList();
    }

    /**
     * What runs now of each queue that this executor takes its {@linkplain QueueStatus#sharing share} of. That is to be told
     * to others: what nobody takes, nobody runs.
     */
    public Map<String, Integer> shares() {
        Map<String, Integer> shares = new LinkedHashMap<>();
        for (QueueStatus queue : status()) {
            if (queue.sharing()) {
                shares.put(queue.queue(), queue.running());
            }
        }
        return shares;
    }

    /** Whether tasks of all queues can run. */
    public boolean healthy() {
        return loops.stream().allMatch(loop -> loop.status().healthy());
    }

    /**
     * No new starts of a queue in this process while true; what runs goes on.
     *
     * @throws IllegalArgumentException if there is no such queue
     */
    public void pause(String queue, boolean paused) {
        loop(queue).pauseStarts(paused);
    }

    /**
     * What a queue's core holds at its next turn, in words, for people who look for the reason of something. It names
     * keys, not payloads, and may be long. Never completes if the queue's loop has ended or hangs.
     *
     * @throws IllegalArgumentException if there is no such queue
     */
    public CompletableFuture<String> describe(String queue) {
        return loop(queue).describe();
    }

    private QueueLoop loop(String queue) {
        return loops.stream()
                .filter(loop -> loop.name().equals(queue))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no queue '" + queue + "' in this executor"));
    }

    private static void stuck(Attempt attempt, ExecutorMetrics metrics) {
        StringBuilder where = new StringBuilder();
        for (StackTraceElement frame : attempt.whereabouts()) {
            where.append("\n  at ").append(frame);
        }
        log.warn(
                "Queue {}: the handler of {} ignores its interrupt since {} ms and keeps its slot. It is here:{}",
                attempt.queue(),
                attempt,
                STUCK_AFTER_MILLIS,
                where);
        metrics.stuck(attempt.queue(), attempt.type());
    }

    /** Collects an executor's settings. Not thread-safe. */
    public static final class Builder {
        private final List<QueueSpec> queues = new ArrayList<>();
        private String id = "executor";
        private int concurrency = DEFAULT_CONCURRENCY;
        private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
        private CoreSettings settings = CoreSettings.DEFAULTS;
        private Time time = Time.system();
        private ExecutorMetrics metrics = ExecutorMetrics.NONE;
        private @Nullable Boolean virtualThreads;

        private Builder() {}

        /** A name for people, such as the host's; something random is added. */
        public Builder id(String name) {
            id = name;
            return this;
        }

        /**
         * Handlers at once, all queues together. If the queues' own numbers come to more, each gets its share, at
         * least 1.
         */
        public Builder concurrency(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("executor.concurrency is " + value + ", it must be 1 or more");
            }
            concurrency = value;
            return this;
        }

        /** From the order to stop until running handlers are interrupted. */
        public Builder drainTimeout(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("executor.drain-timeout is " + value + ", it must be 0 or more");
            }
            drainTimeout = value;
            return this;
        }

        /** Leases, horizon and batches. */
        public Builder settings(CoreSettings value) {
            settings = value;
            return this;
        }

        public Builder time(Time value) {
            time = value;
            return this;
        }

        public Builder metrics(ExecutorMetrics value) {
            metrics = value;
            return this;
        }

        /** Default: virtual threads where the running Java has them. */
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

        private ThreadFactory threads(String prefix) {
            boolean virtual = virtualThreads == null ? HandlerThreads.virtualAvailable() : virtualThreads;
            return virtual ? HandlerThreads.virtual(prefix) : HandlerThreads.platform(prefix);
        }

        /** The queues, with concurrencies that fit together. */
        List<QueueSpec> fitted() {
            long wanted = queues.stream()
                    .mapToLong(spec -> spec.policy().concurrency())
                    .sum();
            if (wanted <= concurrency) {
                return queues;
            }
            List<QueueSpec> fitted = new ArrayList<>();
            for (QueueSpec spec : queues) {
                QueuePolicy policy = spec.policy();
                int share = (int) Math.max(1, (long) policy.concurrency() * concurrency / wanted);
                log.info(
                        "Queue {}: runs {} tasks at once instead of {}, because all queues together want {} and"
                                + " executor.concurrency is {}",
                        spec.name(),
                        share,
                        policy.concurrency(),
                        wanted,
                        concurrency);
                fitted.add(spec.withConcurrency(share));
            }
            return fitted;
        }
    }
}
