package dev.tandem.executor;

import dev.tandem.executor.Rates.RateLimit;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks of a queue begin only with a token of each of their rate limits. A run waits in memory for a moment and holds no slot
 * meanwhile; one that would wait for longer goes into custody until its turn. Thread-safe.
 */
final class RateGate extends LimitGate<RateGate.Applied> {

    /** The longest time that a run waits in memory. */
    private static final long MOST_NANOS = 1_000_000_000;

    /** The most runs of a queue that wait in memory. */
    private static final int MAX_WAITING = 200;

    private final Rates rates;
    private final List<RateLimit> limits;
    private final Runnable wake;
    private final Map<Applied, RateLimit> waiting = new ConcurrentHashMap<>();

    private final Predicate<Run> sentAway;

    /** A run, from when it asks until it begins. */
    final class Applied implements Rates.Waiter {
        private final Run run;
        private final Runnable goOn;
        /** The number of limits of which it has tokens. */
        private int passed;

        private volatile boolean decided;
        private volatile @Nullable Outcome withoutRun;

        private Applied(Run run, Runnable goOn) {
            this.run = run;
            this.goOn = goOn;
        }

        /** Takes a token of each limit, one limit after another. */
        private void apply() {
            while (passed < limits.size()) {
                RateLimit next = limits.get(passed);
                if (!covers(next, run.task())) {
                    passed++;
                    continue;
                }
                if (departures.include(run)) {
                    decide(Outcome.NotStarted.INSTANCE);
                    return;
                }
                waiting.put(this, next);
                long longest =
                        next.rate().coversAll() ? Long.MAX_VALUE : waiting.size() > MAX_WAITING ? -1 : MOST_NANOS;
                long away = rates.await(next, next.rate().bucketOf(run.task()), this, longest);
                if (away > 0) {
                    decide(Outcome.Snoozed.waitingFor(
                            new WaitReason.Token(next.rate().name()), away));
                } else if (departures.include(run)) {
                    rates.turnAway(next, List.of(this), Outcome.NotStarted.INSTANCE);
                }
                return;
            }
            decide(null);
        }

        private void decide(@Nullable Outcome outcome) {
            withoutRun = outcome;
            decided = true;
            waiting.remove(this);
            goOn.run();
        }

        @Override
        public void ready() {
            passed++;
            apply();
        }

        @Override
        public boolean mayBegin(long nowMillis) {
            return run.mayBegin(nowMillis) && !run.isCancelled();
        }

        @Override
        public void turnedAway(Outcome outcome) {
            decide(outcome);
        }
    }

    /**
     * @param wake called on any thread when more runs may be started than before
     * @param sentAway returns whether a run goes away for another reason, so that it needs no token
     */
    RateGate(QueueSpec spec, Rates rates, List<TaskRate> limits, Runnable wake, Predicate<Run> sentAway) {
        super(spec);
        this.rates = rates;
        this.limits = limits.stream().map(rates::limit).toList();
        this.wake = wake;
        this.sentAway = sentAway;
    }

    @Override
    public boolean concerns(Task task) {
        for (RateLimit each : limits) {
            if (covers(each, task)) {
                return true;
            }
        }
        return false;
    }

    private boolean covers(RateLimit limit, Task task) {
        return limit.rate().covers(spec.handlers().typeOf(task.type()), task.key());
    }

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        if (asked.containsKey(run) || run.task().unreadable() != null) {
            return false;
        }
        if (sentAway.test(run)) {
            return false;
        }
        Applied applied = new Applied(run, goOn);
        asked.put(run, applied);
        applied.apply();
        if (!applied.decided) {
            wake.run();
        }
        return true;
    }

    @Override
    @Nullable
    Outcome withoutRun(Applied applied) {
        return applied.withoutRun;
    }

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        asked.remove(run);
        if (outcome instanceof Outcome.Snoozed snoozed && snoozed.slowsDown()) {
            for (RateLimit each : limits) {
                if (covers(each, run.task())) {
                    rates.pause(each, each.rate().bucketOf(run.task()), snoozed.delayMillis());
                }
            }
        }
        then.run();
    }

    @Override
    void turnAway(Predicate<Run> chosen) {
        waiting.forEach((each, limit) -> {
            if (chosen.test(each.run)) {
                rates.turnAway(limit, List.of(each), Outcome.NotStarted.INSTANCE);
            }
        });
    }

    private static WaitReason tokenOf(RateLimit limit) {
        return new WaitReason.Token(limit.rate().name());
    }

    @Override
    public void eachWaiting(BiConsumer<Run, WaitReason> listener) {
        waiting.forEach((each, limit) -> listener.accept(each.run, tokenOf(limit)));
    }

    @Override
    public int waiting() {
        return waiting.size();
    }

    @Override
    public int mostRuns() {
        int most = Integer.MAX_VALUE;
        for (RateLimit each : limits) {
            if (each.rate().coversAll()) {
                // No other task could start, so no more wait than may begin within a second.
                long soon = Math.max(2, Math.min(MAX_WAITING, 1_000_000 / each.intervalMicros()));
                most = Math.min(most, (int) (asked.size() - waiting.size() + soon));
            }
        }
        return most;
    }
}
