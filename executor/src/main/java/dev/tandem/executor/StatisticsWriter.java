package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds what becomes of the runs in this process to the statistics of their queues, every few seconds. What Redis does not take is
 * lost, and counted: it may have been added, so it is not added again. Passes all measurements on. Thread-safe.
 */
public final class StatisticsWriter implements ExecutorMetrics, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(StatisticsWriter.class);

    static final long EVERY_MILLIS = 5_000;

    /** How long the end of the process waits for the last ones. */
    private static final long LAST_MILLIS = 1_000;

    private final Map<String, TallyCounter> counters = new LinkedHashMap<>();
    private final BiFunction<String, RunTally, CompletableFuture<?>> store;
    private final ExecutorMetrics metrics;
    private final StatisticsMetrics own;
    private final ScheduledExecutorService thread;
    /** The writes that are on their way, by queue. */
    private final Map<String, CompletableFuture<?>> sent = new ConcurrentHashMap<>();

    /** The queues of which the last tally was lost. One of them that stays here is not logged again and again. */
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    /**
     * Makes a writer that does not send yet.
     *
     * @param queues those that are counted
     * @param store adds a tally to the statistics of a queue; it must not block
     * @param metrics gets all measurements; also the runs that are lost, if it is a {@link StatisticsMetrics}
     */
    public StatisticsWriter(
            Set<String> queues, BiFunction<String, RunTally, CompletableFuture<?>> store, ExecutorMetrics metrics) {
        queues.forEach(queue -> counters.put(queue, new TallyCounter()));
        this.store = store;
        this.metrics = metrics;
        this.own = StatisticsMetrics.of(metrics);
        this.thread = Executors.newSingleThreadScheduledExecutor(action -> {
            Thread made = new Thread(action, "tandem-statistics");
            made.setDaemon(true);
            return made;
        });
    }

    /** Begins to send. */
    public void start() {
        // Processes that start together do not write together.
        long first = ThreadLocalRandom.current().nextLong(EVERY_MILLIS);
        var unused = thread.scheduleWithFixedDelay(this::write, first, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Sends what there is of each queue, unless what was sent before is still on its way. */
    void write() {
        counters.forEach((queue, counter) -> {
            CompletableFuture<?> before = sent.get(queue);
            if (before != null && !before.isDone()) {
                return;
            }
            RunTally tally = counter.take();
            if (!tally.isEmpty()) {
                sent.put(queue, send(queue, tally));
            }
        });
    }

    private CompletableFuture<?> send(String queue, RunTally tally) {
        CompletableFuture<?> adding;
        try {
            adding = store.apply(queue, tally);
        } catch (RuntimeException e) {
            adding = CompletableFuture.failedFuture(e);
        }
        return adding.handle((added, failure) -> {
            answered(queue, tally, failure);
            return null;
        });
    }

    private void answered(String queue, RunTally tally, @Nullable Throwable failure) {
        if (failure == null) {
            if (failing.remove(queue) && failing.isEmpty()) {
                log.info("Redis takes the statistics of all queues again");
            }
            return;
        }
        own.lost(queue, Math.max(tally.count(RunCount.STARTED), tally.runs().count()));
        boolean isFirst = failing.isEmpty();
        if (failing.add(queue) && isFirst) {
            log.warn(
                    "Redis does not take the statistics of queue '{}', and perhaps of others, so runs will be missing there: {}",
                    queue,
                    failure.toString());
        }
    }

    /** Sends the last ones, and waits for a moment until Redis has them. No run may end any more. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            boolean ended = thread.awaitTermination(LAST_MILLIS, TimeUnit.MILLISECONDS);
            allSent().get(LAST_MILLIS, TimeUnit.MILLISECONDS);
            write();
            allSent().get(LAST_MILLIS, TimeUnit.MILLISECONDS);
            log.debug("The statistics are written{}", ended ? "" : ", though late");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            log.info("The last seconds are missing in the statistics of queues: {}", e.toString());
        }
    }

    private CompletableFuture<Void> allSent() {
        return CompletableFuture.allOf(sent.values().toArray(CompletableFuture[]::new));
    }

    @Override
    public void started(String queue, long waitMillis) {
        TallyCounter counter = counters.get(queue);
        if (counter != null) {
            counter.started(waitMillis);
        }
        metrics.started(queue, waitMillis);
    }

    @Override
    public void concluded(String queue, Outcome outcome) {
        TallyCounter counter = counters.get(queue);
        if (counter != null) {
            counter.concluded(outcome);
        }
        metrics.concluded(queue, outcome);
    }

    @Override
    public void ended(RunMeasurement run) {
        TallyCounter counter = counters.get(run.queue());
        if (counter != null) {
            counter.ran(run.runNanos());
        }
        metrics.ended(run);
    }

    @Override
    public void finished(String queue, String type, Outcome outcome, long runNanos) {
        metrics.finished(queue, type, outcome, runNanos);
    }

    @Override
    public void batch(String queue, String type, int size) {
        metrics.batch(queue, type, size);
    }

    @Override
    public void timedOut(String queue, String type) {
        metrics.timedOut(queue, type);
    }

    @Override
    public void duplicate(String queue) {
        metrics.duplicate(queue);
    }

    @Override
    public void stuck(String queue, String type) {
        metrics.stuck(queue, type);
    }
}
