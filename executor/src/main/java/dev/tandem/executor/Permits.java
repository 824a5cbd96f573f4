package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permits that the runs of one executor have and wait for, of all limits that one store keeps. A run gets the permits of all
 * its limits at once or none, so that no run holds one while it waits for another. Thread-safe.
 */
final class Permits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Permits.class);

    /** How often {@link #tick} is to be called. */
    static final long TICK_MILLIS = 20;

    private static final long LOG_WINDOW_MILLIS = 60_000;
    private static final long LOOK_MILLIS = 250;
    private static final double FIRST_INTERVAL_NANOS = 50_000_000;
    private static final long MOST_INTERVAL_NANOS = 60_000_000_000L;

    /** A limit, with the runs that wait for its permits and those that have them. Guarded by the permits. */
    final class Limit {
        private final PermitPool pool;
        private final Set<Applicant> waiting = new LinkedHashSet<>();
        private final Set<Applicant> holders = new LinkedHashSet<>();
        private final LogRateLimiter failures = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
        private final AutoCloseable watch;
        /** The mean time between the ends of runs. */
        private double intervalNanos = FIRST_INTERVAL_NANOS;

        private long lastEndNanos = clock.nanos();

        private Limit(TaskLimit limit) {
            pool = new PermitPool(limit, executor, leaseMillis);
            watch = store.limits().watch(limit.name(), executor, () -> heard(this));
        }

        TaskLimit limit() {
            return pool.limit();
        }

        /** Returns the permits held, as of some moment ago. */
        int held() {
            synchronized (Permits.this) {
                return pool.held();
            }
        }

        /** Returns the number of runs that wait, as of some moment ago. */
        int waiting() {
            synchronized (Permits.this) {
                return waiting.size();
            }
        }

        /** Returns whether the permits are lost, because the store has not confirmed them for too long. */
        boolean hasLapsed(long now) {
            return pool.hasLapsed(now);
        }

        /** Returns the mean time in nanoseconds between the ends of runs that had permits. */
        long intervalNanos() {
            synchronized (Permits.this) {
                return (long) intervalNanos;
            }
        }

        /** Returns the runs whose permits are lost now, if nobody has been told before. */
        private Collection<Applicant> takeLapsed(long now) {
            if (!pool.lapses(now)) {
                return List.of();
            }
            holders.forEach(Applicant::lost);
            return List.copyOf(holders);
        }

        private void ended(Applicant applicant) {
            holders.remove(applicant);
            pool.giveBack();
            long now = clock.nanos();
            intervalNanos += (Math.min(now - lastEndNanos, MOST_INTERVAL_NANOS) - intervalNanos) / 16;
            lastEndNanos = now;
        }

        private Collection<PermitRun> named() {
            return holders.stream()
                    .limit(PermitRequest.MAX_RUNS)
                    .map(each -> new PermitRun(
                            each.gate.queue(),
                            each.run.partition().name() + "/" + each.run.position(),
                            each.gate.idOf(each.run),
                            each.since()))
                    .toList();
        }
    }

    private record Asked(Limit limit, PermitRequest request) {}

    private final String executor;
    private final Store store;
    private final long leaseMillis;
    private final ExecutorClock clock;
    /** Guarded by this. */
    private final Map<String, Limit> limits = new LinkedHashMap<>();

    private long lookedAt;
    private final List<Runnable> grown = new CopyOnWriteArrayList<>();

    Permits(String executor, Store store, long leaseMillis, ExecutorClock clock) {
        this.executor = executor;
        this.store = store;
        this.leaseMillis = leaseMillis;
        this.clock = clock;
    }

    /** Returns a limit of this executor. All callers with one name get the same. */
    synchronized Limit limit(TaskLimit limit) {
        return limits.computeIfAbsent(limit.name(), none -> new Limit(limit));
    }

    /** Calls the listener, on any thread, when this executor holds more permits than before. It must not block. */
    void whenGrown(Runnable listener) {
        grown.add(listener);
    }

    /** Returns what this executor has of each limit. */
    synchronized List<LimitStatus> status() {
        return limits.values().stream().map(each -> each.pool.status()).toList();
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
            if (areFree(applicant, now)) {
                take(applicant, now);
                return true;
            }
            if (!mayWait) {
                return false;
            }
            for (Limit each : applicant.limits) {
                each.waiting.add(applicant);
                each.pool.waiting(each.waiting.size(), now);
            }
        }
        applicant.limits.forEach(this::ask);
        return false;
    }

    private static boolean areFree(Applicant applicant, long now) {
        for (Limit each : applicant.limits) {
            if (!each.pool.hasFree(now)) {
                return false;
            }
        }
        return true;
    }

    private void take(Applicant applicant, long now) {
        for (Limit each : applicant.limits) {
            each.pool.take(now);
            each.holders.add(applicant);
        }
        applicant.granted(clock.wallMillis());
    }

    /** Takes back the permits of a run that has ended. */
    void ended(Applicant applicant) {
        List<Applicant> granted = new ArrayList<>();
        synchronized (this) {
            if (applicant.holds()) {
                applicant.limits.forEach(each -> each.ended(applicant));
                applicant.limits.forEach(each -> grant(each, granted));
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
        for (Limit each : applicant.limits) {
            if (each.waiting.remove(applicant)) {
                each.pool.waiting(each.waiting.size(), clock.millis());
            }
        }
    }

    /** Gives free permits of a limit to those that wait, in their order. */
    private void grant(Limit limit, List<Applicant> granted) {
        long now = clock.millis();
        Iterator<Applicant> waiting = limit.waiting.iterator();
        List<Applicant> chosen = new ArrayList<>();
        while (limit.pool.hasFree(now) && waiting.hasNext()) {
            Applicant next = waiting.next();
            if (areFree(next, now)) {
                waiting.remove();
                take(next, now);
                chosen.add(next);
            }
        }
        chosen.forEach(this::leave);
        if (!chosen.isEmpty()) {
            limit.pool.waiting(limit.waiting.size(), now);
        }
        granted.addAll(chosen);
    }

    private static void go(List<Applicant> decided) {
        decided.forEach(each -> each.gate.decided(each));
    }

    // ---- the store ----

    private void heard(Limit limit) {
        synchronized (this) {
            limit.pool.heard();
        }
        ask(limit);
    }

    /** Asks the store about a limit, if that is due. */
    private void ask(Limit limit) {
        PermitRequest request;
        synchronized (this) {
            request = limit.pool.nextRequest(clock.millis(), limit::named);
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

    private void answered(Limit limit, PermitAnswer answer, Throwable failure) {
        List<Applicant> granted = new ArrayList<>();
        Collection<Applicant> lapsed = List.of();
        boolean more = false;
        synchronized (this) {
            if (failure == null) {
                int before = limit.pool.held();
                long now = clock.millis();
                limit.pool.answered(answer, now);
                lapsed = limit.takeLapsed(now);
                more = limit.pool.held() > before;
                grant(limit, granted);
            } else {
                limit.pool.failed(clock.millis());
            }
        }
        if (failure != null) {
            limit.failures.log(notLogged -> log.warn(
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

    /** Asks the store where that is due, interrupts runs whose permits are lost, and turns away runs whose claims are lost. */
    void tick() {
        List<Limit> all;
        List<Applicant> lapsed = new ArrayList<>();
        List<Applicant> late = new ArrayList<>();
        synchronized (this) {
            long now = clock.millis();
            all = List.copyOf(limits.values());
            for (Limit each : all) {
                lapsed.addAll(each.takeLapsed(now));
            }
            if (now - lookedAt >= LOOK_MILLIS) {
                lookedAt = now;
                all.forEach(limit -> limit.waiting.stream()
                        .filter(each -> !each.run.mayBegin(now))
                        .forEach(late::add));
            }
        }
        interrupt(lapsed);
        turnAway(late, Outcome.NotStarted.INSTANCE);
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

    @Override
    public void close() {
        List<Limit> all;
        synchronized (this) {
            all = List.copyOf(limits.values());
        }
        for (Limit each : all) {
            try {
                each.watch.close();
            } catch (Exception e) {
                log.debug("Limit {}: its watch did not close", each.limit().name(), e);
            }
        }
    }
}
