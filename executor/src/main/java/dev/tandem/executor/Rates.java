package dev.tandem.executor;

import dev.tandem.task.Outcome;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that the runs of one executor have and wait for, of all rate limits that one store keeps. What several runs of a
 * limit need is asked for together, one call for each limit at a time. Thread-safe.
 */
final class Rates implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Rates.class);

    private static final long LOG_WINDOW_MILLIS = 60_000;
    private static final long LOOK_NANOS = 250_000_000;

    /** The most buckets without runs that are remembered. */
    private static final int MAX_POOLS = 10_000;

    /** The number of buckets that are looked at when one of them is to be forgotten. */
    private static final int MAX_LOOKS = 16;

    /** A run that waits for tokens of its limits, one after another. */
    interface Waiter {

        /** Hears that it has its token. */
        void ready();

        /** Returns whether its claim still lets it begin. */
        boolean mayBegin(long nowMillis);

        /** Hears that it does not go to its handler, and with which outcome it ends. */
        void turnedAway(Outcome outcome);
    }

    /** A rate limit, with its buckets in this executor. Guarded by itself. */
    final class RateLimit {
        private final TaskRate rate;
        private final Map<String, TokenPool<Waiter>> pools = new LinkedHashMap<>(16, 0.75f, true);
        /** The buckets with runs that wait, or with something to tell. */
        private final Set<TokenPool<Waiter>> busy = new LinkedHashSet<>();

        private final StoreTime storeTime = new StoreTime();
        private final LogRateLimiter failures = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
        /** The time for one token that is in force, as the store has said last. */
        private volatile long intervalMicros;

        private boolean calling;
        /** When the store was asked last, by the monotonic clock in nanoseconds. */
        private long askedAt;
        /** The bucket of which the store has no token for the longest time; null if that is not known of any. */
        private @Nullable TokenPool<Waiter> empty;

        private int waiting;
        private long limited;

        private RateLimit(TaskRate rate) {
            this.rate = rate;
            this.intervalMicros = rate.intervalMicros();
        }

        TaskRate rate() {
            return rate;
        }

        /** Returns the time for one token that is in force, as far as this executor knows. Any thread may ask. */
        long intervalMicros() {
            return intervalMicros;
        }

        synchronized int waiting() {
            return waiting;
        }

        private synchronized RateStatus status() {
            return new RateStatus(rate.name(), waiting, limited);
        }

        private TokenPool<Waiter> pool(String bucket) {
            TokenPool<Waiter> pool = pools.computeIfAbsent(bucket, none -> new TokenPool<>(rate, bucket));
            if (pools.size() > MAX_POOLS) {
                forgetSome();
            }
            return pool;
        }

        /** Forgets buckets that have not been used for long. Those that are needed count as used now. */
        private void forgetSome() {
            long now = clock.nanos();
            for (TokenPool<Waiter> each :
                    pools.values().stream().limit(MAX_LOOKS).toList()) {
                if (pools.size() <= MAX_POOLS) {
                    return;
                }
                if (each.isNeeded(now)) {
                    var unused = pools.get(each.bucket());
                } else {
                    pools.remove(each.bucket());
                    busy.remove(each);
                }
            }
        }

        /** Lets the store be asked about all buckets, because the rate may be another one. @param known those that have heard of it */
        private void changed(Collection<TokenPool<Waiter>> known) {
            Set<TokenPool<Waiter>> others = new HashSet<>(pools.values());
            others.removeAll(new HashSet<>(known));
            others.forEach(TokenPool::changed);
        }

        /** Returns when to check the rate, in case a notice was lost. Never, if tokens are requested sooner. */
        private long rateDue() {
            long due = askedAt + rateAgeNanos;
            return calling || empty == null || empty.nextAskAt() <= due ? Long.MAX_VALUE : due;
        }

        /** Returns the number of buckets that are remembered. */
        synchronized int buckets() {
            return pools.size();
        }
    }

    /** A call of the store about buckets of a limit. @param askedAt by the monotonic clock in nanoseconds */
    private record Call(List<TokenPool<Waiter>> asking, List<RateRequest> requests, long askedAt) {}

    private final Store store;
    /** The time after which a rate is asked for again. */
    private final long rateAgeNanos;

    private final ExecutorClock clock;
    private final Runnable sooner;
    private final Map<String, RateLimit> limits = new LinkedHashMap<>();
    /** Guarded by this. */
    private final List<AutoCloseable> watches = new ArrayList<>();

    private long lookedAt;

    /** @param sooner called when {@link #tick} may be due earlier than it said */
    Rates(Store store, long leaseMillis, ExecutorClock clock, Runnable sooner) {
        this.store = store;
        this.rateAgeNanos = leaseMillis * 1_000_000 / 4;
        this.clock = clock;
        this.sooner = sooner;
    }

    synchronized RateLimit limit(TaskRate rate) {
        return limits.computeIfAbsent(rate.name(), none -> watched(rate));
    }

    private RateLimit watched(TaskRate rate) {
        RateLimit made = new RateLimit(rate);
        watches.add(store.limits().watchRate(rate.name(), () -> askAgain(made)));
        return made;
    }

    /** Asks the store again, because the rate may be another one. */
    private void askAgain(RateLimit limit) {
        synchronized (limit) {
            limit.changed(List.of());
        }
        turn(limit);
    }

    private synchronized List<RateLimit> all() {
        return List.copyOf(limits.values());
    }

    List<RateStatus> status() {
        return all().stream().map(RateLimit::status).toList();
    }

    // ---- runs ----

    /**
     * Lets a run wait for a token.
     *
     * @param longestNanos the longest time that it may wait
     * @return 0 if it waits; else the milliseconds after which it should come again
     */
    long await(RateLimit limit, String bucket, Waiter run, long longestNanos) {
        synchronized (limit) {
            long now = clock.nanos();
            TokenPool<Waiter> pool = limit.pool(bucket);
            long wait = pool.expectedWait(now);
            limit.limited += wait > 0 ? 1 : 0;
            if (wait > longestNanos) {
                return Math.max(1, (pool.returnAt(now) - now) / 1_000_000);
            }
            if (wait > 0) {
                pool.await(run);
            } else {
                pool.awaitAnswer(run);
            }
            limit.waiting++;
            limit.busy.add(pool);
        }
        turn(limit);
        return 0;
    }

    /** Pauses a bucket: for some time, no run gets a token of it. */
    void pause(RateLimit limit, String bucket, long millis) {
        synchronized (limit) {
            TokenPool<Waiter> pool = limit.pool(bucket);
            pool.pause(clock.nanos(), millis);
            limit.busy.add(pool);
        }
        turn(limit);
    }

    /** Ends the wait of runs, which do not go to their handlers. */
    void turnAway(RateLimit limit, Collection<? extends Waiter> runs, Outcome outcome) {
        List<Waiter> gone = new ArrayList<>();
        synchronized (limit) {
            for (Waiter each : runs) {
                if (limit.busy.stream().anyMatch(pool -> pool.leave(each))) {
                    limit.waiting--;
                    gone.add(each);
                }
            }
        }
        gone.forEach(each -> each.turnedAway(outcome));
    }

    /** Uses the tokens whose time has come, and asks for further ones. */
    private void turn(RateLimit limit) {
        List<Waiter> ready = new ArrayList<>();
        List<RateRequest> requests = new ArrayList<>();
        List<TokenPool<Waiter>> asking = new ArrayList<>();
        synchronized (limit) {
            long now = clock.nanos();
            for (TokenPool<Waiter> pool : List.copyOf(limit.busy)) {
                for (Waiter next = pool.next(now); next != null; next = pool.next(now)) {
                    limit.waiting--;
                    ready.add(next);
                }
                RateRequest request =
                        limit.calling || requests.size() >= RateRequest.MAX_REQUESTS ? null : pool.nextRequest(now);
                if (request != null) {
                    requests.add(request);
                    asking.add(pool);
                }
                if (pool.isIdle(now)) {
                    limit.busy.remove(pool);
                }
            }
            TokenPool<Waiter> empty = limit.empty;
            if (requests.isEmpty() && empty != null && now >= limit.rateDue()) {
                requests.add(empty.rateRequest());
                asking.add(empty);
            }
            if (!requests.isEmpty()) {
                limit.calling = true;
                limit.askedAt = now;
            }
        }
        ready.forEach(Waiter::ready);
        if (!requests.isEmpty()) {
            send(limit, new Call(asking, requests, clock.nanos()));
        }
        sooner.run();
    }

    private void send(RateLimit limit, Call call) {
        CompletionStage<List<RateAnswer>> answers;
        try {
            store.limits().describe(limit.rate.info());
            answers = store.limits().tokens(limit.rate.name(), call.requests());
        } catch (RuntimeException e) {
            answers = CompletableFuture.failedFuture(e);
        }
        var unused = answers.whenComplete((given, failure) -> answered(limit, call, given, failure));
    }

    private void answered(RateLimit limit, Call call, @Nullable List<RateAnswer> given, @Nullable Throwable failure) {
        synchronized (limit) {
            limit.calling = false;
            long now = clock.nanos();
            long at = now;
            if (given != null) {
                RateAnswer first = given.get(0);
                at = limit.storeTime.answered(call.askedAt(), now, first.atMicros());
                if (limit.intervalMicros != first.intervalMicros()) {
                    limit.intervalMicros = first.intervalMicros();
                    limit.changed(call.asking());
                }
            }
            for (int i = 0; i < call.asking().size(); i++) {
                RateAnswer answer = given == null ? null : given.get(i);
                TokenPool<Waiter> pool = call.asking().get(i);
                pool.answered(call.requests().get(i), answer, at, now);
                limit.limited += pool.takeSurprised(now);
                if (limit.empty == null || pool.nextAskAt() > limit.empty.nextAskAt()) {
                    limit.empty = pool;
                }
            }
        }
        if (failure != null) {
            limit.failures.log(notLogged -> log.warn(
                    "Rate limit {}: Redis did not answer about its tokens, so its tasks wait. Asking again: {}",
                    limit.rate.name(),
                    failure.toString()));
        }
        turn(limit);
    }

    /** Does what is due. @return when something is due again, by the monotonic clock in nanoseconds */
    long tick() {
        long now = clock.nanos();
        boolean looks = now - lookedAt >= LOOK_NANOS;
        long due = now + LOOK_NANOS;
        for (RateLimit limit : all()) {
            long next;
            synchronized (limit) {
                next = nextDue(limit, now);
            }
            if (next <= now) {
                turn(limit);
                synchronized (limit) {
                    next = nextDue(limit, clock.nanos());
                }
            }
            due = Math.min(due, next);
        }
        if (looks) {
            lookedAt = now;
            all().forEach(this::letGoLate);
        }
        return due;
    }

    /** Turns away runs whose claims are lost, or that are cancelled. */
    private void letGoLate(RateLimit limit) {
        List<Waiter> late = new ArrayList<>();
        synchronized (limit) {
            limit.busy.forEach(pool -> pool.all().stream()
                    .filter(each -> !each.mayBegin(clock.millis()))
                    .forEach(late::add));
        }
        turnAway(limit, late, Outcome.NotStarted.INSTANCE);
    }

    private static long nextDue(RateLimit limit, long now) {
        long due = limit.rateDue();
        for (TokenPool<Waiter> pool : limit.busy) {
            due = Math.min(due, pool.nextDue(now, !limit.calling));
        }
        return due;
    }

    /** Hears no more of changes. */
    @Override
    public void close() {
        List<AutoCloseable> its;
        synchronized (this) {
            its = List.copyOf(watches);
        }
        its.forEach(Permits::endWatch);
    }
}
