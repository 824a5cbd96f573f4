package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks of a queue run only with a permit of each of their limits. Some runs wait for permits in memory, and hold no slots
 * meanwhile. Where a limit covers only some tasks of the queue, further runs go into custody for a while, so that other tasks
 * go on. Thread-safe.
 */
final class PermitGate implements Gate {

    /** The runs that may wait for the permits of a limit, besides twice as many as there are permits. */
    private static final int SPARE = 4;

    private static final long LEAST_AWAY_MILLIS = 1_000;
    private static final long MOST_AWAY_MILLIS = 300_000;

    private final QueueSpec spec;
    private final Permits permits;
    private final List<Permits.Limit> limits;
    private final ExecutorClock clock;
    private final Runnable wake;
    private final Consumer<Set<Run>> interrupt;
    private final Map<Run, Applicant> applicants = new ConcurrentHashMap<>();
    private final Set<Applicant> waiting = ConcurrentHashMap.newKeySet();
    /** When the run comes back that was sent away last, by the monotonic clock in nanoseconds. */
    private final AtomicLong lastReturn;

    private volatile boolean closed;

    /**
     * Makes a gate.
     *
     * @param limits those of the queue
     * @param wake called on any thread when more runs may be started than before
     * @param interrupt interrupts the handlers of runs
     */
    PermitGate(
            QueueSpec spec,
            Permits permits,
            List<TaskLimit> limits,
            ExecutorClock clock,
            Runnable wake,
            Consumer<Set<Run>> interrupt) {
        this.spec = spec;
        this.permits = permits;
        this.limits = limits.stream().map(permits::limit).toList();
        this.clock = clock;
        this.lastReturn = new AtomicLong(clock.nanos());
        permits.whenGrown(wake);
        this.wake = wake;
        this.interrupt = interrupt;
    }

    String queue() {
        return spec.name();
    }

    String idOf(Run run) {
        return spec.idOf(run);
    }

    void interrupt(Set<Run> runs) {
        interrupt.accept(runs);
    }

    @Override
    public boolean concerns(Task task) {
        for (Permits.Limit each : limits) {
            if (covers(each, task)) {
                return true;
            }
        }
        return false;
    }

    private boolean covers(Permits.Limit limit, Task task) {
        return limit.limit().coversAll() || limit.limit().covers(spec.handlers().typeOf(task.type()), task.key());
    }

    // ---- before a run ----

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        if (applicants.containsKey(run) || run.task().unreadable() != null) {
            return false;
        }
        List<Permits.Limit> its = new ArrayList<>(limits.size());
        for (Permits.Limit each : limits) {
            if (covers(each, run.task())) {
                its.add(each);
            }
        }
        Applicant applicant = new Applicant(run, this, its, goOn);
        applicants.put(run, applicant);
        waiting.add(applicant);
        if (closed) {
            permits.turnAway(List.of(applicant), Outcome.NotStarted.INSTANCE);
            return true;
        }
        Permits.Limit full = firstFull(applicant);
        if (permits.apply(applicant, full == null)) {
            waiting.remove(applicant);
            return false;
        }
        if (full != null) {
            permits.turnAway(List.of(applicant), new Outcome.Snoozed(millisAway(full)));
        } else if (applicant.leavesOthers()) {
            wake.run();
        }
        return true;
    }

    /** Returns a limit for which so many runs wait that no further one should, because other tasks may run. */
    private Permits.@Nullable Limit firstFull(Applicant applicant) {
        for (Permits.Limit each : applicant.limits) {
            if (!each.limit().coversAll() && each.waiting() >= 2 * each.held() + SPARE) {
                return each;
            }
        }
        return null;
    }

    /** Returns for how long a run is sent away. They come back one after another, a little faster than runs end. */
    private long millisAway(Permits.Limit limit) {
        long now = clock.nanos();
        long step = limit.intervalNanos() * 4 / 5;
        long latest = now + MOST_AWAY_MILLIS * 1_000_000;
        long at = lastReturn.updateAndGet(last ->
                Math.min(latest, Math.max(last, now + LEAST_AWAY_MILLIS * 1_000_000) + step));
        return (at - now) / 1_000_000;
    }

    /** Hears that a run need not wait any more. */
    void decided(Applicant applicant) {
        waiting.remove(applicant);
        applicant.goOn.run();
    }

    @Override
    public boolean mayRun(Run run) {
        Applicant applicant = applicants.get(run);
        return applicant == null || applicant.withoutRun() == null;
    }

    @Override
    public boolean hasLost(Run run) {
        Applicant applicant = applicants.get(run);
        return applicant != null && applicant.hasLost(clock.millis());
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        Applicant applicant = applicants.get(run);
        return applicant == null ? null : applicant.withoutRun();
    }

    // ---- after a run ----

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        Applicant applicant = applicants.remove(run);
        if (applicant != null) {
            permits.ended(applicant);
        }
        then.run();
    }

    // ---- the queue ----

    @Override
    public void turnAway() {
        permits.turnAway(List.copyOf(waiting), Outcome.NotStarted.INSTANCE);
    }

    @Override
    public void close() {
        closed = true;
        turnAway();
    }

    @Override
    public int waiting() {
        return waiting.size();
    }

    @Override
    public int mostRuns() {
        int most = Integer.MAX_VALUE;
        int others = -1;
        for (Permits.Limit each : limits) {
            if (each.limit().coversAll()) {
                others = others < 0 ? countOthers(waiting) : others;
                most = Math.min(most, 2 * each.held() + 2 + others);
            }
        }
        return most;
    }

    private static int countOthers(Collection<Applicant> waiting) {
        int count = 0;
        for (Applicant each : waiting) {
            count += each.leavesOthers() ? 1 : 0;
        }
        return count;
    }
}
