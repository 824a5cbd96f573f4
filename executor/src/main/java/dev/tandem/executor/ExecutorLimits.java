package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The limits of an executor's queues, and the thread that renews their permits. Without limits no thread starts. Thread-safe. */
final class ExecutorLimits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ExecutorLimits.class);

    private final String executor;
    private final long leaseMillis;
    private final ExecutorClock clock;
    private final Map<String, List<TaskLimit>> byQueue;
    private final Map<String, List<TaskRate>> ratesByQueue;
    /** By store. Guarded by itself. */
    private final Map<Store, Permits> permits = new IdentityHashMap<>();
    /** By store. Guarded by {@code permits}. */
    private final Map<Store, Rates> rates = new IdentityHashMap<>();

    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    ExecutorLimits(
            String executor,
            long leaseMillis,
            ExecutorClock clock,
            Map<String, List<TaskLimit>> byQueue,
            Map<String, List<TaskRate>> ratesByQueue) {
        this.executor = executor;
        this.leaseMillis = leaseMillis;
        this.clock = clock;
        this.byQueue = byQueue;
        this.ratesByQueue = ratesByQueue;
    }

    /** Returns the gate of a queue; null if it has no limits. */
    @Nullable
    PermitGate gate(QueueSpec spec, Runnable wake, Consumer<Set<Run>> interrupt) {
        List<TaskLimit> its = byQueue.getOrDefault(spec.name(), List.of());
        if (its.isEmpty()) {
            return null;
        }
        Permits ofStore;
        synchronized (permits) {
            ofStore = permits.computeIfAbsent(spec.store(), store -> new Permits(executor, store, leaseMillis, clock));
        }
        return new PermitGate(spec, ofStore, its, clock, wake, interrupt);
    }

    /** Returns the gate of the rate limits of a queue; null if it has none. @param permitGate the gate behind it */
    @Nullable
    RateGate rateGate(QueueSpec spec, Runnable wake, @Nullable PermitGate permitGate) {
        List<TaskRate> its = ratesByQueue.getOrDefault(spec.name(), List.of());
        if (its.isEmpty()) {
            return null;
        }
        Rates ofStore;
        synchronized (permits) {
            ofStore = rates.computeIfAbsent(
                    spec.store(), store -> new Rates(store, leaseMillis, clock, () -> LockSupport.unpark(thread)));
        }
        return new RateGate(spec, ofStore, its, wake, permitGate == null ? run -> false : permitGate::sendsAway);
    }

    private List<Rates> allRates() {
        synchronized (permits) {
            return List.copyOf(rates.values());
        }
    }

    List<RateStatus> rates() {
        List<RateStatus> status = new ArrayList<>();
        allRates().forEach(each -> status.addAll(each.status()));
        return status;
    }

    private List<Permits> all() {
        synchronized (permits) {
            return List.copyOf(permits.values());
        }
    }

    List<LimitStatus> status() {
        List<LimitStatus> status = new ArrayList<>();
        all().forEach(each -> status.addAll(each.status()));
        return status;
    }

    /** Starts the thread, if there are limits. */
    void start() {
        List<Permits> all = all();
        List<Rates> allRates = allRates();
        if (!(all.isEmpty() && allRates.isEmpty()) && thread == null) {
            Thread started = new Thread(() -> keep(all, allRates), "tandem-limits");
            started.setDaemon(true);
            thread = started;
            started.start();
        }
    }

    private void keep(List<Permits> all, List<Rates> allRates) {
        while (!closed) {
            long wait = Permits.TICK_MILLIS * 1_000_000;
            try {
                all.forEach(Permits::tick);
                for (Rates each : allRates) {
                    wait = Math.min(wait, each.tick() - clock.nanos());
                }
            } catch (RuntimeException e) {
                log.error("Keeping the permits and tokens of limits failed because of a bug. Trying again", e);
            }
            if (wait > 0) {
                clock.park(this, wait);
            }
        }
    }

    /** Gives back the permits that are not in use. The others lapse. */
    @Override
    public void close() {
        closed = true;
        allRates().forEach(Rates::close);
        all().forEach(Permits::close);
    }
}
