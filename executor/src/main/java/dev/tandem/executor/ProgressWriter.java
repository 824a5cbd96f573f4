package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.RunRequest.KeepProgress;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes progress and log lines of all runs of an executor to their stores: a request for each partition that has news, once in
 * an interval. What cannot be written is left out. Thread-safe.
 *
 * <p>Has one thread, which begins with the first news.
 */
final class ProgressWriter implements AutoCloseable {

    static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(ProgressWriter.class);

    /** Runs of one request: a script of a millisecond or two. */
    private static final int MAX_RUNS = 100;

    /** Runs whose news wait. Those of others are lost meanwhile. */
    private static final int MAX_WAITING = 20_000;

    private static final long ANSWER_NANOS = 5_000_000_000L;

    private static final long LOG_WINDOW_MILLIS = 60_000;

    private record Destination(Store store, Partition partition, int maxLines) {}

    private final long intervalNanos;
    private final Queue<AttemptNotes> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean started = new AtomicBoolean();
    /** How many times the news of a run were left out since people were told. */
    private final AtomicLong lost = new AtomicLong();

    private final LogRateLimiter lostLog = new LogRateLimiter(ExecutorClock.system(), 1, LOG_WINDOW_MILLIS);
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /** @param interval 0: everything is written at once by the thread that notes it */
    ProgressWriter(Duration interval) {
        intervalNanos = interval.toNanos();
    }

    /** Takes note that an attempt has news. Must not be called again before they are taken. */
    void add(AttemptNotes notes) {
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            var unused = notes.take();
            lost.incrementAndGet();
            return;
        }
        waiting.add(notes);
        if (intervalNanos == 0) {
            var unused = write();
        } else if (started.compareAndSet(false, true)) {
            Thread writer = new Thread(this::run, "tandem-progress");
            writer.setDaemon(true);
            thread = writer;
            writer.start();
        } else {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!closed) {
            if (waiting.isEmpty()) {
                LockSupport.park(this);
                continue;
            }
            try {
                await(write());
                logLost();
            } catch (Throwable t) {
                // Without this thread no run of the process would have progress any more.
                log.warn("Progress of some tasks was not written", t);
            }
            // News wake this thread too early, so it looks at the time.
            for (long until = System.nanoTime() + intervalNanos; !closed && until - System.nanoTime() > 0; ) {
                LockSupport.parkNanos(this, until - System.nanoTime());
            }
        }
    }

    /** Sends all news without waiting for answers. */
    private CompletableFuture<Void> write() {
        Map<Destination, List<RunNotes>> news = new LinkedHashMap<>();
        for (AttemptNotes notes = waiting.poll(); notes != null; notes = waiting.poll()) {
            count.decrementAndGet();
            RunNotes taken = notes.take();
            if (taken != null) {
                news.computeIfAbsent(
                                new Destination(notes.store(), notes.partition(), notes.maxLines()),
                                destination -> new ArrayList<>())
                        .add(taken);
            }
        }
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        news.forEach((destination, runs) -> {
            for (int from = 0; from < runs.size(); from += MAX_RUNS) {
                List<RunNotes> some = List.copyOf(runs.subList(from, Math.min(runs.size(), from + MAX_RUNS)));
                answers.add(send(destination, some));
            }
        });
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    }

    /** Sends the news of some runs. @return ends with the answer, never with an exception */
    private CompletableFuture<Void> send(Destination destination, List<RunNotes> some) {
        CompletionStage<StoreAnswer> answer;
        try {
            answer = destination.store().ask(new KeepProgress(destination.partition(), destination.maxLines(), some));
        } catch (Throwable t) {
            // The news of other partitions are sent all the same.
            answer = CompletableFuture.failedFuture(t);
        }
        return answer.<Void>handle((written, failure) -> {
                    if (failure != null) {
                        lost.addAndGet(some.size());
                        log.debug("Progress of some tasks of {} was not written", destination.partition(), failure);
                    }
                    return null;
                })
                .toCompletableFuture();
    }

    private void logLost() {
        if (lost.get() > 0) {
            lostLog.log(notLogged -> log.info(
                    "Progress and log lines of runs were left out {} times: the store did not take them, or too many"
                            + " runs had news at once",
                    lost.getAndSet(0)));
        }
    }

    /** Waits, so that no more than the requests of one interval are under way. */
    private void await(CompletableFuture<Void> written) {
        written.whenComplete((done, failure) -> LockSupport.unpark(thread));
        long until = System.nanoTime() + ANSWER_NANOS;
        while (!written.isDone() && !closed && until - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, until - System.nanoTime());
        }
    }

    /** Writes what is left, and ends the thread. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        var unused = write();
        logLost();
    }
}
