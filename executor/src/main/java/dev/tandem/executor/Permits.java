package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permits that the runs of one executor have and wait for, of all limits that one store keeps. A run gets the permits of all
 * its limits at once or none, so that no run holds one while it waits for another. Thread-safe.
 */
final class Permits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Permits.class);

    /** The interval in which {@link #tick} is to be called. */
    static final long TICK_MILLIS = 20;

    private static final long LOG_WINDOW_MILLIS = 60_000;
    private static final long LOOK_MILLIS = 250;
    private static final long MAX_RELEASE_MILLIS = 500;
    /** The time for which a run that has all of its permits waits for a thread before others may have them. */
    private static final long THREAD_WAIT_MILLIS = 1_000;

    private record Asked(PermitLimit limit, PermitRequest request) {}

    private final String executor;
    private final Store store;
    private final long leaseMillis;
    private final ExecutorClock clock;
    /** Guarded by this. */
    private final Map<String, PermitLimit> limits = new LinkedHashMap<>();

    /** Guarded by this. */
    private final LongWaits longWaits = new LongWaits();

    /** Guarded by this. */
    private final List<AutoCloseable> watches = new ArrayList<>();

    private final LogRateLimiter failures;
    private long lookedAt;
    private final List<Runnable> grown = new CopyOnWriteArrayList<>();

    Permits(String executor, Store store, long leaseMillis, ExecutorClock clock) {
        this.executor = executor;
        this.store = store;
        this.leaseMillis = leaseMillis;
        this.clock = clock;
        this.failures = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
    }

    /** Returns a limit of this executor. All callers with one name get the same. */
    synchronized PermitLimit limit(TaskLimit limit) {
        return limits.computeIfAbsent(limit.name(), none -> watched(limit));
    }

    private PermitLimit watched(TaskLimit limit) {
        PermitLimit made = new PermitLimit(new PermitPool(limit, executor, leaseMillis), clock.nanos());
        watches.add(store.limits().watch(limit.name(), executor, () -> onNotice(made)));
        return made;
    }

    /** Returns how many permits of a limit this executor holds, as of some moment ago. */
    synchronized int held(PermitLimit limit) {
        return limit.pool().held();
    }

    /** Returns how many runs wait for a limit, as of some moment ago: of this limit alone, or of several, like this run. */
    synchronized int waitingLike(Applicant applicant, PermitLimit limit) {
        return limit.waitingLike(applicant);
    }

    /** Calls the listener, on any thread, when this executor holds more permits than before. It must not block. */
    void whenGrown(Runnable listener) {
        grown.add(listener);
    }

    /** Returns what this executor has of each limit. */
    synchronized List<LimitStatus> status() {
        return limits.values().stream().map(each -> each.pool().status()).toList();
    }

    // ---- runs ----

    /**
     * Gives a run its permits if they are free. Otherwise it waits for them. Nothing is done for a run that was turned away
     * before.
     *
     * @param mayWait whether it waits
     * @return whether it has its permits
     */
    boolean apply(Applicant applicant, boolean mayWait) {
        synchronized (this) {
            if (applicant.isDecided()) {
                return false;
            }
            long now = clock.millis();
            if (areFree(applicant, now) && applicant.gate.hasThread()) {
                take(applicant, now);
                return true;
            }
            if (!mayWait) {
                return false;
            }
            applicant.waitsFrom(now);
            applicant.limits.forEach(each -> each.await(applicant, now));
            longWaits.add(applicant);
        }
        applicant.limits.forEach(this::ask);
        return false;
    }

    private static boolean areFree(Applicant applicant, long now) {
        for (PermitLimit each : applicant.limits) {
            if (!each.pool().hasFree(now)) {
                return false;
            }
        }
        return true;
    }

    private void take(Applicant applicant, long now) {
        applicant.limits.forEach(each -> each.take(applicant, now));
        longWaits.remove(applicant);
        applicant.granted(clock.wallMillis());
    }

    /** Takes back the permits of a run that has ended. */
    void ended(Applicant applicant) {
        List<Applicant> granted = new ArrayList<>();
        synchronized (this) {
            if (applicant.holds()) {
                applicant.limits.forEach(each -> each.ended(applicant, clock.nanos()));
                grantAll(applicant.limits, granted);
            } else {
                leave(applicant);
            }
        }
        go(granted);
        applicant.limits.forEach(this::ask);
    }

    /** Ends the wait of runs, which do not go to their handlers. */
    void turnAway(Collection<Applicant> applicants, Outcome outcome) {
        List<Applicant> gone = new ArrayList<>();
        synchronized (this) {
            for (Applicant each : applicants) {
                if (!each.isDecided()) {
                    leave(each);
                    each.turnedAway(outcome);
                    gone.add(each);
                }
            }
        }
        go(gone);
    }

    private void leave(Applicant applicant) {
        long now = clock.millis();
        applicant.limits.forEach(each -> each.leave(applicant, now));
        longWaits.remove(applicant);
    }

    /** Gives free permits to runs that wait, when there are threads for more of them than before. */
    void grant(Collection<PermitLimit> its) {
        List<Applicant> granted = new ArrayList<>();
        synchronized (this) {
            grantAll(its, granted);
        }
        go(granted);
        its.forEach(this::ask);
    }

    private void grantAll(Collection<PermitLimit> its, List<Applicant> granted) {
        its.forEach(each -> grant(each, granted));
    }

    /** Gives free permits of a limit to those that wait: first to the one that has waited for long, then in their order. */
    private void grant(PermitLimit limit, List<Applicant> granted) {
        long now = clock.millis();
        Applicant old = limit.reserver();
        if (old != null) {
            collect(old, now, granted);
        }
        for (Applicant next = firstReady(limit, now); next != null; next = firstReady(limit, now)) {
            take(next, now);
            granted.add(next);
        }
    }

    private static @Nullable Applicant firstReady(PermitLimit limit, long now) {
        if (!limit.pool().hasFree(now)) {
            return null;
        }
        for (Applicant each : limit.waiting()) {
            if (areFree(each, now) && each.gate.takeThread()) {
                return each;
            }
        }
        return null;
    }

    private static void go(List<Applicant> decided) {
        decided.forEach(each -> each.gate.decided(each));
    }

    // ---- runs that have waited for long ----

    /**
     * Sets permits aside for a run that has waited for long, and lets it go once it has all. Executors collect them in the order
     * of the limits' names, so that none waits for a permit that another one has set aside while that waits for one of its own.
     */
    private void collect(Applicant old, long now, List<Applicant> granted) {
        for (PermitLimit each : old.limits) {
            if (!each.setAside(now)) {
                old.lacksPermit();
                return;
            }
        }
        if (old.gate.takeThread()) {
            take(old, now);
            granted.add(old);
        } else if (old.lacksThread(now) >= THREAD_WAIT_MILLIS) {
            leave(old);
            old.waitsFrom(now);
            old.limits.forEach(each -> each.await(old, now));
            longWaits.add(old);
        }
    }

    // ---- the store ----

    private void onNotice(PermitLimit limit) {
        synchronized (this) {
            limit.pool().onNotice();
        }
        ask(limit);
    }

    /** Asks the store about a limit, if that is due. */
    private void ask(PermitLimit limit) {
        PermitRequest request;
        synchronized (this) {
            long now = clock.millis();
            limit.refresh(now);
            request = limit.pool().nextRequest(now, limit::named);
        }
        if (request != null) {
            send(new Asked(limit, request));
        }
    }

    private void send(Asked asked) {
        CompletionStage<PermitAnswer> answer;
        try {
            answer = store.limits().permits(asked.request());
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        var unused = answer.whenComplete((given, failure) -> answered(asked.limit(), given, failure));
    }

    private void answered(PermitLimit limit, PermitAnswer answer, Throwable failure) {
        List<Applicant> granted = new ArrayList<>();
        Collection<Applicant> lapsed = List.of();
        boolean more = false;
        synchronized (this) {
            if (failure == null) {
                int before = limit.pool().held();
                long now = clock.millis();
                limit.pool().answered(answer, now);
                lapsed = limit.takeLapsed(now);
                more = limit.pool().held() > before;
                grant(limit, granted);
            } else {
                limit.pool().failed(clock.millis());
            }
            notifyAll();
        }
        if (failure != null) {
            failures.log(notLogged -> log.warn(
                    "Limit {}: Redis did not answer about its permits, so its tasks wait. Asking again: {}",
                    limit.limit().name(),
                    failure.toString()));
        }
        interrupt(lapsed);
        go(granted);
        if (more) {
            grown.forEach(Runnable::run);
        }
        ask(limit);
    }

    /** Asks the store where that is due, interrupts runs whose permits are lost, and turns away runs whose claims are lost or that are cancelled. */
    void tick() {
        List<PermitLimit> all;
        List<Applicant> lapsed = new ArrayList<>();
        List<Applicant> late = new ArrayList<>();
        List<Applicant> granted = new ArrayList<>();
        synchronized (this) {
            long now = clock.millis();
            all = List.copyOf(limits.values());
            all.forEach(each -> lapsed.addAll(each.takeLapsed(now)));
            if (now - lookedAt >= LOOK_MILLIS) {
                lookedAt = now;
                all.forEach(limit -> limit.waiting().stream()
                        .filter(each -> each.run.isCancelled() || !each.run.mayBegin(now))
                        .forEach(late::add));
            }
            longWaits.reserve(now);
            grantAll(all, granted);
        }
        interrupt(lapsed);
        turnAway(late, Outcome.NotStarted.INSTANCE);
        go(granted);
        all.forEach(this::ask);
    }

    private static void interrupt(Collection<Applicant> lapsed) {
        Map<PermitGate, Set<Run>> runs = new LinkedHashMap<>();
        lapsed.forEach(each ->
                runs.computeIfAbsent(each.gate, none -> new LinkedHashSet<>()).add(each.run));
        runs.forEach((gate, its) -> {
            log.warn(
                    "Queue {}: interrupting {} handlers, because Redis has not confirmed their permits for too long",
                    gate.queue(),
                    its.size());
            gate.interrupt(its);
        });
    }

    /** Gives back all permits that are not in use. Waits for the store's answers, but not for long. */
    @Override
    public void close() {
        List<AutoCloseable> its;
        List<PermitLimit> all;
        synchronized (this) {
            its = List.copyOf(watches);
            all = List.copyOf(limits.values());
            all.forEach(each -> each.pool().close());
        }
        its.forEach(Permits::endWatch);
        all.forEach(this::ask);
        awaitReleased(all);
    }

    static void endWatch(AutoCloseable watch) {
        try {
            watch.close();
        } catch (Exception e) {
            log.debug("The watch of a limit did not close", e);
        }
    }

    private synchronized void awaitReleased(List<PermitLimit> all) {
        long until = System.nanoTime() + MAX_RELEASE_MILLIS * 1_000_000;
        try {
            while (!all.stream().allMatch(each -> each.pool().isReleased())) {
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    log.debug("Redis did not answer, so permits that are not in use lapse with their lease");
                    return;
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
