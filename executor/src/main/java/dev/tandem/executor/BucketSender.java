package dev.tandem.executor;

import dev.tandem.task.store.WrongTypeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to buckets of the store: those of one bucket in their order, one call at a time. What comes while a call is under
 * way goes together with the next one. A call that fails is repeated. If the store refuses one of its requests, they are sent one
 * by one, so that only that one is given up. Thread-safe.
 *
 * @param <Q> a request
 * @param <A> the answer to a request
 */
final class BucketSender<Q, A> {

    private static final Logger log = LoggerFactory.getLogger(BucketSender.class);

    /**
     * The buckets of one kind.
     *
     * @param <Q> a request
     * @param <A> the answer to a request
     * @param asker who asks, to begin lines of the log
     * @param subject what the requests are about, for the log
     * @param count the number of buckets
     * @param maxRequests the most requests of one call
     * @param bucketOf returns the number of a request's bucket
     * @param call sends requests to a bucket; its answers are in their order
     */
    record Buckets<Q, A>(
            String asker, String subject, int count, int maxRequests, ToIntFunction<Q> bucketOf, Call<Q, A> call) {}

    /** A call to one bucket. */
    @FunctionalInterface
    interface Call<Q, A> {
        CompletionStage<List<A>> send(int bucket, List<Q> requests);
    }

    /** The requests of one bucket that may be left out, and wait. More are left out. */
    private static final int MAX_WAITING = 2_000;

    /** The time after which a call that failed is repeated. */
    static final long REPEAT_MILLIS = 500;

    private static final long LOG_WINDOW_MILLIS = 10_000;

    /**
     * A request that was not answered.
     *
     * @param until when it is given up, by the monotonic clock in milliseconds
     * @param then receives the answer, or null if it was given up
     */
    private record Waiting<Q, A>(Q request, long until, Consumer<@Nullable A> then) {}

    private final class Bucket {
        private final int number;
        private final Deque<Waiting<Q, A>> waiting = new ArrayDeque<>();
        /** True while a call is under way, or waits to be repeated. */
        private boolean busy;
        /** The number of requests that are still sent one by one, because one of them was refused. */
        private int alone;

        Bucket(int number) {
            this.number = number;
        }

        synchronized boolean add(Waiting<Q, A> request, boolean mayBeLeftOut) {
            if (mayBeLeftOut && waiting.size() >= MAX_WAITING) {
                return false;
            }
            waiting.add(request);
            return true;
        }

        /** Removes what is given up before the next call. @return none if another call is under way */
        synchronized List<Waiting<Q, A>> giveUp(long now) {
            return busy ? List.of() : removeOverdue(now);
        }

        private List<Waiting<Q, A>> removeOverdue(long now) {
            List<Waiting<Q, A>> givenUp = new ArrayList<>();
            waiting.removeIf(each -> each.until() <= now && givenUp.add(each));
            return givenUp;
        }

        /** Takes the requests of the next call. @return none if there are none, or another call is under way */
        synchronized List<Waiting<Q, A>> take() {
            if (busy || waiting.isEmpty()) {
                return List.of();
            }
            busy = true;
            int most = alone > 0 ? 1 : all.maxRequests();
            alone = Math.max(0, alone - 1);
            List<Waiting<Q, A>> taken = new ArrayList<>(Math.min(waiting.size(), most));
            while (taken.size() < most && !waiting.isEmpty()) {
                taken.add(waiting.remove());
            }
            return taken;
        }

        /** Puts back requests of which one was refused, to be sent one by one. */
        synchronized void separate(List<Waiting<Q, A>> taken) {
            for (int i = taken.size() - 1; i >= 0; i--) {
                waiting.addFirst(taken.get(i));
            }
            alone = taken.size();
        }

        /** Puts back what was not answered and is not given up yet. @return what is given up */
        synchronized List<Waiting<Q, A>> failed(List<Waiting<Q, A>> taken, long now) {
            for (int i = taken.size() - 1; i >= 0; i--) {
                waiting.addFirst(taken.get(i));
            }
            return removeOverdue(now);
        }

        synchronized void free() {
            busy = false;
        }

        synchronized boolean isIdle() {
            return !busy && waiting.isEmpty();
        }
    }

    private final Buckets<Q, A> all;
    private final ExecutorClock clock;
    private final Executor later;
    private final LogRateLimiter failures;
    private final LogRateLimiter refusals;
    private final List<Bucket> buckets = new ArrayList<>();

    BucketSender(Buckets<Q, A> buckets, ExecutorClock clock) {
        this(buckets, clock, CompletableFuture.delayedExecutor(REPEAT_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** @param later runs what repeats a call */
    BucketSender(Buckets<Q, A> buckets, ExecutorClock clock, Executor later) {
        this.all = buckets;
        this.clock = clock;
        this.later = later;
        this.failures = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
        this.refusals = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
        for (int i = 0; i < buckets.count(); i++) {
            this.buckets.add(new Bucket(i));
        }
    }

    /**
     * Adds a request, which goes with the next {@link #send}.
     *
     * @param maxMillis for how long it is repeated
     * @param then receives the answer on any thread, or null if there was none; it must not block
     */
    void add(Q request, long maxMillis, Consumer<@Nullable A> then) {
        boolean unused = bucket(request).add(new Waiting<>(request, clock.millis() + maxMillis, then), false);
    }

    /** Adds a request that may be left out, for want of room. */
    void offer(Q request, long maxMillis, Consumer<@Nullable A> then) {
        if (!bucket(request).add(new Waiting<>(request, clock.millis() + maxMillis, then), true)) {
            then.accept(null);
        }
    }

    private Bucket bucket(Q request) {
        return buckets.get(all.bucketOf().applyAsInt(request));
    }

    /** Returns whether no request waits for its answer. */
    boolean isIdle() {
        return buckets.stream().allMatch(Bucket::isIdle);
    }

    /** Sends what waits, except where a call is under way already. */
    void send() {
        buckets.forEach(this::send);
    }

    private void send(Bucket bucket) {
        // After a pause of this process, others may have asked about the same tasks.
        bucket.giveUp(clock.millis()).forEach(each -> answer(each, null));
        List<Waiting<Q, A>> taken = bucket.take();
        if (!taken.isEmpty()) {
            List<Q> requests = taken.stream().map(Waiting::request).toList();
            ask(bucket, requests).whenComplete((answers, failure) -> {
                WrongTypeException refusal = refusal(failure);
                if (refusal != null) {
                    refused(bucket, taken, refusal);
                } else if (failure == null) {
                    answered(bucket, taken, answers);
                } else {
                    failed(bucket, taken, failure);
                }
            });
        }
    }

    private CompletionStage<List<A>> ask(Bucket bucket, List<Q> requests) {
        try {
            return all.call().send(bucket.number, requests);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answered(Bucket bucket, List<Waiting<Q, A>> taken, List<A> answers) {
        for (int i = 0; i < taken.size(); i++) {
            answer(taken.get(i), answers.get(i));
        }
        bucket.free();
        send(bucket);
    }

    private void answer(Waiting<Q, A> waiting, @Nullable A answer) {
        try {
            waiting.then().accept(answer);
        } catch (RuntimeException e) {
            log.error("{}: an answer about {} was lost because of a bug", all.asker(), all.subject(), e);
        }
    }

    /** Returns why the store refused a request of a call; null if the call failed for another reason, or not at all. */
    static @Nullable WrongTypeException refusal(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof WrongTypeException refusal ? refusal : null;
    }

    private void refused(Bucket bucket, List<Waiting<Q, A>> taken, WrongTypeException refusal) {
        if (taken.size() > 1) {
            bucket.separate(taken);
        } else {
            refusals.log(notLogged -> log.error(
                    "{}: Redis refuses a request about {}, so it was given up: {}",
                    all.asker(),
                    all.subject(),
                    refusal.getMessage()));
            answer(taken.get(0), null);
        }
        bucket.free();
        send(bucket);
    }

    private void failed(Bucket bucket, List<Waiting<Q, A>> taken, Throwable failure) {
        failures.log(notLogged -> log.warn(
                "{}: Redis did not answer about {}. Tasks that need the answer wait; asking again: {}",
                all.asker(),
                all.subject(),
                failure.toString()));
        List<Waiting<Q, A>> givenUp = bucket.failed(taken, clock.millis());
        givenUp.forEach(each -> answer(each, null));
        later.execute(() -> {
            bucket.free();
            send(bucket);
        });
    }
}
