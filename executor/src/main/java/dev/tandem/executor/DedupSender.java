package dev.tandem.executor;

import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a queue's requests about deduplication keys to the store: those of one bucket in their order, one call at a time. What
 * comes while a call is under way goes together with the next one. A call that fails is repeated. Thread-safe.
 */
final class DedupSender {

    private static final Logger log = LoggerFactory.getLogger(DedupSender.class);

    /** The requests of one bucket that may be left out, and wait. More are left out. */
    private static final int MAX_WAITING = 2_000;

    private static final long REPEAT_MILLIS = 500;

    private static final long LOG_WINDOW_MILLIS = 10_000;

    /**
     * A request that was not answered.
     *
     * @param until when it is given up, by the monotonic clock in milliseconds
     * @param then receives the answer, or null if it was given up
     */
    private record Waiting(DedupRequest request, long until, Consumer<@Nullable DedupAnswer> then) {}

    private final class Bucket {
        private final int number;
        private final Deque<Waiting> waiting = new ArrayDeque<>();
        /** Whether a call is under way, or waits to be repeated. */
        private boolean busy;

        Bucket(int number) {
            this.number = number;
        }

        synchronized boolean add(Waiting request, boolean mayBeLeftOut) {
            if (mayBeLeftOut && waiting.size() >= MAX_WAITING) {
                return false;
            }
            waiting.add(request);
            return true;
        }

        /** Takes the requests of the next call. @return none if there are none, or another call is under way */
        synchronized List<Waiting> take() {
            if (busy || waiting.isEmpty()) {
                return List.of();
            }
            busy = true;
            List<Waiting> taken = new ArrayList<>(Math.min(waiting.size(), Store.MAX_DEDUP_REQUESTS));
            while (taken.size() < Store.MAX_DEDUP_REQUESTS && !waiting.isEmpty()) {
                taken.add(waiting.remove());
            }
            return taken;
        }

        /** Puts back what was not answered and is not given up yet. @return what is given up */
        synchronized List<Waiting> failed(List<Waiting> taken, long now) {
            List<Waiting> givenUp = new ArrayList<>();
            for (int i = taken.size() - 1; i >= 0; i--) {
                waiting.addFirst(taken.get(i));
            }
            waiting.removeIf(each -> each.until() <= now && givenUp.add(each));
            return givenUp;
        }

        synchronized void free() {
            busy = false;
        }
    }

    private final String queue;
    private final Store store;
    private final ExecutorClock clock;
    private final Executor later;
    private final LogRateLimiter failures;
    private final List<Bucket> buckets = new ArrayList<>();

    DedupSender(String queue, Store store, ExecutorClock clock) {
        this(queue, store, clock, CompletableFuture.delayedExecutor(REPEAT_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** @param later runs what repeats a call */
    DedupSender(String queue, Store store, ExecutorClock clock, Executor later) {
        this.queue = queue;
        this.store = store;
        this.clock = clock;
        this.later = later;
        this.failures = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
        for (int i = 0; i < DedupBuckets.COUNT; i++) {
            buckets.add(new Bucket(i));
        }
    }

    /**
     * Adds a request, which goes with the next {@link #send}.
     *
     * @param maxMillis for how long it is repeated
     * @param then receives the answer on any thread, or null if there was none; it must not block
     */
    void add(DedupRequest request, long maxMillis, Consumer<@Nullable DedupAnswer> then) {
        boolean unused = bucket(request).add(new Waiting(request, clock.millis() + maxMillis, then), false);
    }

    /** Adds a request that may be left out, for want of room. */
    void offer(DedupRequest request, long maxMillis, Consumer<@Nullable DedupAnswer> then) {
        if (!bucket(request).add(new Waiting(request, clock.millis() + maxMillis, then), true)) {
            then.accept(null);
        }
    }

    private Bucket bucket(DedupRequest request) {
        return buckets.get(DedupBuckets.of(queue, request.key()));
    }

    /** Sends what waits, except where a call is under way already. */
    void send() {
        buckets.forEach(this::send);
    }

    private void send(Bucket bucket) {
        List<Waiting> taken = bucket.take();
        if (!taken.isEmpty()) {
            List<DedupRequest> requests = taken.stream().map(Waiting::request).toList();
            ask(bucket, requests).whenComplete((answers, failure) -> {
                if (failure == null) {
                    answered(bucket, taken, answers);
                } else {
                    failed(bucket, taken, failure);
                }
            });
        }
    }

    private CompletionStage<List<DedupAnswer>> ask(Bucket bucket, List<DedupRequest> requests) {
        try {
            return store.dedup(queue, bucket.number, requests);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answered(Bucket bucket, List<Waiting> taken, List<DedupAnswer> answers) {
        for (int i = 0; i < taken.size(); i++) {
            answer(taken.get(i), answers.get(i));
        }
        bucket.free();
        send(bucket);
    }

    private void answer(Waiting waiting, @Nullable DedupAnswer answer) {
        try {
            waiting.then().accept(answer);
        } catch (RuntimeException e) {
            log.error("Queue {}: an answer about a deduplication key was lost because of a bug", queue, e);
        }
    }

    private void failed(Bucket bucket, List<Waiting> taken, Throwable failure) {
        failures.log(notLogged -> log.warn(
                "Queue {}: Redis did not answer about deduplication keys, so that tasks with such keys wait. Asking"
                        + " again: {}",
                queue,
                failure.toString()));
        List<Waiting> givenUp = bucket.failed(taken, clock.millis());
        givenUp.forEach(each -> answer(each, null));
        later.execute(() -> {
            bucket.free();
            send(bucket);
        });
    }
}
