package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks of a queue run only with a permit of each of their limits. Some runs wait for permits in memory, and hold no slots
 * meanwhile. Where a limit covers only some tasks of the queue, further runs go into custody for a while, so that other tasks
 * go on. Thread-safe.
 */
final class PermitGate extends LimitGate<Applicant> {

    /** The runs that may wait for the permits of a limit, besides {@link #room}. */
    private static final int SPARE = 4;

    /** As many more wait as end in this time, so that no permit of short runs is idle while the next ones are claimed. */
    private static final long AHEAD_NANOS = 20_000_000;

    private static final int MOST_AHEAD_PER_PERMIT = 20;

    private static final long LEAST_AWAY_MILLIS = 1_000;
    private static final long MOST_AWAY_MILLIS = 300_000;

    private final Permits permits;
    /** In the order of their names. */
    private final List<PermitLimit> limits;
    /** Whether runs that may begin wait for others of their batch, which gets a thread as a whole. */
    private final boolean collects;

    private final FreeThreads threads;
    private final ExecutorClock clock;
    private final Runnable wake;
    private final Consumer<Set<Run>> interrupt;
    private final Set<Applicant> waiting = ConcurrentHashMap.newKeySet();
    /** When the run comes back that was sent away last, by the monotonic clock in nanoseconds. */
    private final AtomicLong lastReturn;

    /** The runs that have been asked about before they waited for their rate limits. */
    private final Set<Run> expected = ConcurrentHashMap.newKeySet();

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
        super(spec);
        this.permits = permits;
        this.limits = limits.stream()
                .sorted(Comparator.comparing(TaskLimit::name))
                .map(permits::limit)
                .toList();
        // Runs of pull workers need no thread.
        this.collects = spec.handlers().hasBatches() || spec.isPulled();
        this.threads = new FreeThreads(spec.policy().concurrency());
        threads.whenFreed(() -> permits.grant(this.limits));
        this.clock = clock;
        this.lastReturn = new AtomicLong(clock.nanos());
        permits.whenGrown(wake);
        this.wake = wake;
        this.interrupt = interrupt;
    }

    /** Returns what has asked for a run; null if nothing has. */
    @Nullable
    Applicant applicant(Run run) {
        return asked.get(run);
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

    /** Returns what counts the threads of the queue, so that permits are given only to runs that can begin. */
    FreeThreads threads() {
        return threads;
    }

    /** Returns how many runs could begin now. */
    int freeThreads() {
        return collects && threads.count() > 0 ? Integer.MAX_VALUE : threads.count();
    }

    /** Returns whether a run that asks could begin now. It has a thread already, unless it is to be put into a batch. */
    boolean hasThread() {
        return !collects || threads.any();
    }

    /** Finds a thread for a run that waits. {@link #decided} must follow. @return false if none is free */
    boolean takeThread() {
        return collects ? threads.any() : threads.reserve();
    }

    @Override
    public boolean concerns(Task task) {
        for (PermitLimit each : limits) {
            if (covers(each, task)) {
                return true;
            }
        }
        return false;
    }

    private boolean covers(PermitLimit limit, Task task) {
        return limit.limit().coversAll() || limit.limit().covers(spec.handlers().typeOf(task.type()), task.key());
    }

    // ---- before a run ----

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        if (asked.containsKey(run) || run.task().unreadable() != null) {
            return false;
        }
        Applicant applicant = new Applicant(run, this, limitsOf(run), goOn);
        asked.put(run, applicant);
        waiting.add(applicant);
        if (departures.include(run)) {
            permits.turnAway(List.of(applicant), Outcome.NotStarted.INSTANCE);
            return true;
        }
        PermitLimit full = expected.remove(run) ? null : firstFull(applicant);
        if (permits.apply(applicant, full == null)) {
            waiting.remove(applicant);
            return false;
        }
        if (full != null) {
            sendAway(applicant, full);
        } else if (applicant.leavesOthers()) {
            wake.run();
        }
        return true;
    }

    private List<PermitLimit> limitsOf(Run run) {
        List<PermitLimit> its = new ArrayList<>(limits.size());
        for (PermitLimit each : limits) {
            if (covers(each, run.task())) {
                its.add(each);
            }
        }
        return its;
    }

    /**
     * Asks about a run before it waits for its rate limits, so that it does not use up a token and goes away then. One that does not
     * go away now may wait for its permits later.
     *
     * @return whether it does not go to its handler, because too many wait
     */
    boolean sendsAway(Run run) {
        if (!concerns(run.task())) {
            return false;
        }
        Applicant applicant = new Applicant(run, this, limitsOf(run), () -> {});
        PermitLimit full = firstFull(applicant);
        if (full == null) {
            expected.add(run);
            return false;
        }
        asked.put(run, applicant);
        sendAway(applicant, full);
        return true;
    }

    private void sendAway(Applicant applicant, PermitLimit full) {
        permits.turnAway(List.of(applicant), Outcome.Snoozed.waitingFor(permitOf(List.of(full)), millisAway(full)));
    }

    private static WaitReason permitOf(List<PermitLimit> limits) {
        return new WaitReason.Permits(
                limits.stream().map(each -> each.limit().name()).toList());
    }

    /**
     * Returns a limit for which so many runs wait that no further one should, because other tasks may run. Runs of several limits
     * have a room of their own: otherwise they would need a place in the room of each, just when one is free.
     */
    private @Nullable PermitLimit firstFull(Applicant applicant) {
        for (PermitLimit each : applicant.limits) {
            if (!each.limit().coversAll() && permits.waitingLike(applicant, each) >= SPARE + room(each)) {
                return each;
            }
        }
        return null;
    }

    /** Returns how many runs may be in memory for the permits of a limit, besides a few. */
    private int room(PermitLimit limit) {
        int held = permits.held(limit);
        long ahead = AHEAD_NANOS / Math.max(1, limit.intervalNanos());
        return 2 * held + (int) Math.min(ahead, (long) MOST_AHEAD_PER_PERMIT * held);
    }

    /** Returns for how long a run is sent away. They come back one after another, a little faster than runs end. */
    private long millisAway(PermitLimit limit) {
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
        if (applicant.holds() && !collects) {
            // The workers have the run now, and count it themselves.
            threads.giveBack();
        }
    }

    @Override
    public boolean hasLost(Run run) {
        Applicant applicant = asked.get(run);
        return applicant != null && applicant.hasLost(clock.millis());
    }

    @Override
    @Nullable
    Outcome withoutRun(Applicant applicant) {
        return applicant.withoutRun();
    }

    // ---- after a run ----

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        expected.remove(run);
        Applicant applicant = asked.remove(run);
        if (applicant != null) {
            permits.ended(applicant);
        }
        then.run();
    }

    // ---- the queue ----

    @Override
    void turnAway(Predicate<Run> chosen) {
        permits.turnAway(waiting.stream().filter(each -> chosen.test(each.run)).toList(), Outcome.NotStarted.INSTANCE);
    }

    @Override
    public void eachWaiting(BiConsumer<Run, WaitReason> listener) {
        waiting.forEach(each -> listener.accept(each.run, permitOf(each.limits)));
    }

    @Override
    public int waiting() {
        return waiting.size();
    }

    @Override
    public int mostRuns() {
        int most = Integer.MAX_VALUE;
        int others = -1;
        for (PermitLimit each : limits) {
            if (each.limit().coversAll()) {
                others = others < 0 ? countOthers(waiting) : others;
                most = Math.min(most, room(each) + 2 + others);
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
