package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A limit in one executor, with the runs that wait for its permits and those that have them. Guarded by the {@link Permits} that
 * it belongs to, but for what says otherwise.
 */
final class PermitLimit {

    private static final double FIRST_INTERVAL_NANOS = 50_000_000;
    private static final long MOST_INTERVAL_NANOS = 60_000_000_000L;

    private final PermitPool pool;
    private final Set<Applicant> waiting = new LinkedHashSet<>();
    private final Map<PermitGate, Integer> waitingByGate = new IdentityHashMap<>();
    /** The number of waiting runs that need permits of other limits too. */
    private int waitingForSeveral;

    private final Set<Applicant> holders = new LinkedHashSet<>();
    /** The run for which permits are set aside, because it has waited for long. */
    private @Nullable Applicant reserver;

    /** The mean time between the ends of runs. */
    private volatile double intervalNanos = FIRST_INTERVAL_NANOS;

    private long lastEndNanos;

    PermitLimit(PermitPool pool, long nowNanos) {
        this.pool = pool;
        this.lastEndNanos = nowNanos;
    }

    PermitPool pool() {
        return pool;
    }

    /** Any thread may ask. */
    TaskLimit limit() {
        return pool.limit();
    }

    /** Returns whether the permits are lost, because the store has not confirmed them for too long. Any thread may ask. */
    boolean hasLapsed(long now) {
        return pool.hasLapsed(now);
    }

    /** Returns the mean time in nanoseconds between the ends of runs that had permits. Any thread may ask. */
    long intervalNanos() {
        return (long) intervalNanos;
    }

    // ---- runs that wait

    Collection<Applicant> waiting() {
        return waiting;
    }

    /** Returns how many runs of the same kind wait: those of this limit alone, or those that need others too. */
    int waitingLike(Applicant applicant) {
        return applicant.needsSeveral() ? waitingForSeveral : waiting.size() - waitingForSeveral;
    }

    void await(Applicant applicant, long now) {
        if (waiting.add(applicant)) {
            waitingForSeveral += applicant.needsSeveral() ? 1 : 0;
            waitingByGate.merge(applicant.gate, 1, Integer::sum);
            refresh(now);
        }
    }

    void leave(Applicant applicant, long now) {
        if (reserver == applicant) {
            reserver = null;
            pool.setAside(false);
        }
        if (waiting.remove(applicant)) {
            waitingForSeveral -= applicant.needsSeveral() ? 1 : 0;
            int left = waitingByGate.getOrDefault(applicant.gate, 1) - 1;
            if (left == 0) {
                waitingByGate.remove(applicant.gate);
            } else {
                waitingByGate.put(applicant.gate, left);
            }
            refresh(now);
        }
    }

    /** Takes note of how many runs wait, and how many of them could begin now. */
    void refresh(long now) {
        int startable = reserver == null ? 0 : 1;
        for (Map.Entry<PermitGate, Integer> each : waitingByGate.entrySet()) {
            startable += Math.min(each.getValue(), each.getKey().freeThreads());
        }
        pool.waiting(waiting.size(), Math.min(startable, waiting.size()), now);
    }

    // ---- one that has waited for long

    @Nullable
    Applicant reserver() {
        return reserver;
    }

    void reserveFor(Applicant applicant, long now) {
        reserver = applicant;
        refresh(now);
    }

    /** Sets a permit aside for the run that reserves this limit, unless one is. @return false if none is free */
    boolean setAside(long now) {
        if (pool.hasLapsed(now) || !pool.isAside() && !pool.hasFree(now)) {
            return false;
        }
        pool.setAside(true);
        return true;
    }

    // ---- runs with permits

    void take(Applicant applicant, long now) {
        leave(applicant, now);
        pool.take(now);
        holders.add(applicant);
    }

    void ended(Applicant applicant, long nowNanos) {
        holders.remove(applicant);
        pool.giveBack();
        double interval = intervalNanos;
        intervalNanos = interval + (Math.min(nowNanos - lastEndNanos, MOST_INTERVAL_NANOS) - interval) / 16;
        lastEndNanos = nowNanos;
    }

    /** Returns the runs whose permits are lost now, if nobody has been told before. */
    Collection<Applicant> takeLapsed(long now) {
        if (!pool.lapses(now)) {
            return List.of();
        }
        holders.forEach(Applicant::lost);
        return List.copyOf(holders);
    }

    /** Returns some of the runs with a permit, for people. */
    Collection<PermitRun> named() {
        return holders.stream()
                .limit(PermitRequest.MAX_RUNS)
                .map(each -> named(each.gate, each.run, each.since()))
                .toList();
    }

    private static PermitRun named(PermitGate gate, Run run, long since) {
        return new PermitRun(gate.queue(), run.partition().name() + "/" + run.position(), gate.idOf(run), since);
    }
}
