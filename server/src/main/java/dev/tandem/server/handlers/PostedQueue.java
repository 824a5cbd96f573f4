package dev.tandem.server.handlers;

import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import dev.tandem.executor.pull.TaskLeases.StoppedException;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.task.FailureText;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts the tasks of one queue as a pull worker of this process that hands its leases on: a receiver that answers 202 ends its
 * task later, by the API of any server. A task whose receiver is awaited occupies no thread.
 */
final class PostedQueue implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PostedQueue.class);

    private static final int MOST_AT_ONCE = 64;
    private static final long BYTES = 4 << 20;
    private static final long WAIT_MILLIS = 20_000;
    private static final long PAUSE_MILLIS = 1_000;
    private static final int ACCEPTED = 202;

    /** The timeout of the task bounds it. */
    private static final long LEASE_MILLIS = Duration.ofDays(30).toMillis();

    private final String queue;
    private final Posting posting;
    private final Duration answerTimeout;
    private final Set<Integer> deadOn;
    private final TaskLeases leases;
    private final int atOnce;
    private final InstantSource clock = InstantSource.system();
    /** The requests that may be begun. */
    private final Semaphore free;

    private final ExecutorService threads;
    private final Thread thread;

    /** Posts a task. */
    @FunctionalInterface
    interface Posting {
        /** @see HttpPoster#post */
        HttpAnswer post(PostedTask task, Map<String, String> more, Duration time) throws InterruptedException;
    }

    PostedQueue(String queue, HttpSettings http, int concurrency, Posting posting, TaskLeases leases) {
        this(queue, http, concurrency, posting, leases, threads(queue, Math.min(MOST_AT_ONCE, concurrency)));
    }

    /** @param threads make the requests, {@value #MOST_AT_ONCE} at once at most */
    PostedQueue(
            String queue,
            HttpSettings http,
            int concurrency,
            Posting posting,
            TaskLeases leases,
            ExecutorService threads) {
        this.queue = queue;
        this.posting = posting;
        this.answerTimeout = http.answerTimeout();
        this.deadOn = Set.copyOf(http.deadOn());
        this.leases = leases;
        this.atOnce = Math.min(MOST_AT_ONCE, concurrency);
        this.free = new Semaphore(atOnce);
        this.threads = threads;
        this.thread = daemon(this::run, "tandem-" + queue + "-posts");
    }

    /** A request may be begun before the thread of the one before it is idle, so that it waits for a moment. */
    private static ExecutorService threads(String queue, int atOnce) {
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                atOnce,
                atOnce,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(atOnce),
                task -> daemon(task, "tandem-" + queue + "-post"));
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread made = new Thread(task, name);
        made.setDaemon(true);
        return made;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!threads.isShutdown()) {
                try {
                    postNext();
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof StoppedException) {
                        return;
                    }
                    pause("failed to lease tasks to post", e.getCause());
                } catch (RuntimeException | Error e) {
                    pause("failed to post tasks", e);
                }
            }
        } catch (InterruptedException e) {
            // Closed.
            Thread.currentThread().interrupt();
        }
    }

    private void pause(String what, Throwable failure) throws InterruptedException {
        log.warn("Queue {}: {}: {}", queue, what, failure.toString());
        log.debug("Queue {}", queue, failure);
        Thread.sleep(PAUSE_MILLIS);
    }

    /** Leases tasks, as many as there are requests free, and begins to post them. */
    private void postNext() throws InterruptedException, ExecutionException {
        free.acquire();
        int places = 1 + free.drainPermits();
        List<LeasedTask> tasks = List.of();
        int begun = 0;
        try {
            tasks = leases.lease(new LeaseCall(places, BYTES, WAIT_MILLIS, LEASE_MILLIS, "http"))
                    .get();
            for (LeasedTask task : tasks) {
                threads.execute(() -> handOver(task));
                begun++;
            }
        } finally {
            free.release(places - begun);
            if (begun < tasks.size()) {
                leases.giveBack(tasks.subList(begun, tasks.size()).stream()
                        .map(LeasedTask::lease)
                        .toList());
            }
        }
    }

    private void handOver(LeasedTask task) {
        try {
            LeaseRequest end = post(task);
            if (end != null) {
                // A receiver may have ended it meanwhile, which counts.
                leases.apply(task.lease(), end);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            free.release();
        }
    }

    /** @return how the attempt has ended; null if its receiver will say so */
    private @Nullable LeaseRequest post(LeasedTask task) throws InterruptedException {
        try {
            HttpAnswer answer = posting.post(
                    PostedTask.of(queue, task, HostedTypes.HTTP),
                    Map.of("Tandem-Lease", HeaderEncoding.encode(task.lease().toString())),
                    answerTimeout);
            if (answer.status() == ACCEPTED) {
                return null;
            }
            HttpVerdict verdict = HttpVerdict.of(answer, deadOn, clock.instant());
            if (verdict instanceof HttpVerdict.Dead dead) {
                return new LeaseRequest.Bury(dead.reason());
            } else if (verdict instanceof HttpVerdict.Failed failed) {
                Duration after = failed.after();
                return new LeaseRequest.Fail(failed.reason(), after == null ? -1 : after.toMillis());
            }
            return new LeaseRequest.Finish(null);
        } catch (HttpStatusException e) {
            return new LeaseRequest.Fail(e.toString(), -1);
        } catch (RuntimeException | Error e) {
            // Nothing else would end the lease before the timeout of the task.
            return new LeaseRequest.Fail(FailureText.of(e), -1);
        }
    }

    /** Ends the calls that still go on. */
    @Override
    public void close() {
        threads.shutdownNow();
        thread.interrupt();
    }
}
