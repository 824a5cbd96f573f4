package dev.tandem.executor;

import dev.tandem.executor.GrowthView.Place;
import dev.tandem.executor.GrowthView.Verdict;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source.Growing;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.LookBack.Ask;
import dev.tandem.task.store.LookBack.State;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Growth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets a task of a key that moved to another partition wait until the key's earlier tasks, in its former partition, are settled.
 * A task that must wait is snoozed: so it heads its lane in the store, and holds back neither other keys nor the commit. Has
 * no say while the log does not grow. Thread-safe.
 */
final class GrowthGate implements Gate {

    /** The longest time that a run waits for what is not known yet. Then its task is tried again later, and others may run. */
    private static final long WAIT_MILLIS = 3_000;

    private static final long LEAST_HOLD_MILLIS = 500;

    private static final long MOST_HOLD_MILLIS = 15_000;

    /** A task is held for the time that it has waited, divided by this. */
    private static final int HOLD_SHARE = 4;

    /** The time after which a held task no longer counts if nobody has asked about it again. Another process may have it. */
    private static final long COUNTED_MILLIS = 30_000;

    private static final int MAX_KNOWN = 20_000;

    private static final WaitReason WAITS_FOR = new WaitReason.FormerPartition();

    /** A task that waits: since when, and when it is tried again. */
    private record Held(long since, long until) {}

    private record Waiting(Run run, Runnable goOn, long until) {}

    private record LookAt(int partition, Ask ask) {}

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final Executor later;
    private final @Nullable Growing log;
    private final RunAnswers answered = new RunAnswers();
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean wantsEnds = new AtomicBoolean();
    /** Tasks that wait. Guarded by itself. */
    private final Map<TaskPlace, Held> held = bounded();
    /** Keys without earlier tasks below final ends, by the counts that they moved from. Guarded by itself. */
    private final Map<String, Boolean> clear = bounded();

    private volatile GrowthView view = GrowthView.UNKNOWN;
    private volatile @Nullable BucketSender<LookAt, State> sender;

    GrowthGate(QueueSpec spec, ExecutorClock clock) {
        this(spec, clock, CompletableFuture.delayedExecutor(WAIT_MILLIS, TimeUnit.MILLISECONDS));
    }

    /** @param later runs what is due when a run has waited for too long */
    GrowthGate(QueueSpec spec, ExecutorClock clock, Executor later) {
        this.spec = spec;
        this.clock = clock;
        this.later = later;
        this.log = spec.policy().ordered() ? spec.source().growing() : null;
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MAX_KNOWN;
            }
        };
    }

    /** Returns what tells of growths; null if the queue's keys do not move. */
    @Nullable
    Growing log() {
        return log;
    }

    // ---- what is known

    /** Takes what is known from now on. Runs that wait for it are asked about again. */
    void know(GrowthView now) {
        GrowthView before = view;
        if (before.equals(now)) {
            return;
        }
        boolean isOther = !growths(before).equals(growths(now));
        PartitionHistory history = now.history();
        if (isOther && history != null) {
            sender = sender(history);
        }
        view = now;
        if (isOther) {
            synchronized (clear) {
                clear.clear();
            }
        }
        if (now.isQuiet()) {
            answered.clear();
            synchronized (held) {
                held.clear();
            }
        }
        askAgain();
    }

    private static List<Growth> growths(GrowthView of) {
        PartitionHistory history = of.history();
        return history == null ? List.of() : history.growths();
    }

    private BucketSender<LookAt, State> sender(PartitionHistory history) {
        int most = history.growths().stream().mapToInt(Growth::from).max().orElse(1);
        return new BucketSender<>(
                new BucketSender.Buckets<>(
                        "Queue " + spec.name(),
                        "earlier partitions",
                        most,
                        LookBack.MAX_ASKS,
                        LookAt::partition,
                        (partition, asks) -> spec.store()
                                .lookBack(
                                        Partition.of(spec.name(), partition),
                                        new LookBack(
                                                history.sourceId(),
                                                asks.stream().map(LookAt::ask).toList(),
                                                -1))
                                .thenApply(LookBack.Answer::states)),
                clock);
    }

    /** Lets go of runs that have waited for too long: their tasks are tried again later. */
    private void letGo() {
        long now = clock.millis();
        for (Waiting first = waiting.peek(); first != null && first.until() <= now; first = waiting.peek()) {
            if (waiting.remove(first)) {
                hold(first.run());
                first.goOn().run();
            }
        }
    }

    /** Returns whether tasks wait for the ends of earlier partitions. */
    boolean wantsEnds() {
        return wantsEnds.get();
    }

    /** Takes note that such ends were looked up. Tasks that need later ones ask again. */
    void endsLookedUp() {
        wantsEnds.set(false);
    }

    /** Returns how many tasks wait in this process, each the first of its key. */
    int heldTasks() {
        long now = clock.millis();
        synchronized (held) {
            held.values().removeIf(each -> each.until() + COUNTED_MILLIS < now);
            return held.size();
        }
    }

    // ---- the gate

    @Override
    public boolean concerns(Task task) {
        Growing placements = log;
        String key = task.key();
        GrowthView now = view;
        return placements != null
                && key != null
                && !now.isQuiet()
                && now.concerns(count -> placements.placement(key, count));
    }

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        String key = run.task().key();
        if (log == null || key == null || run.task().unreadable() != null || answered.has(run)) {
            return false;
        }
        Verdict verdict = decide(log, key, run);
        if (verdict instanceof Verdict.Unsure) {
            waiting.add(new Waiting(run, goOn, clock.millis() + WAIT_MILLIS));
            later.execute(this::letGo);
            if (!(decide(log, key, run) instanceof Verdict.Unsure)) {
                askAgain(); // It became known in the meantime.
            }
            return true;
        } else if (verdict instanceof Verdict.NoEnds) {
            wantsEnds.set(true);
            hold(run);
            return false;
        } else if (verdict instanceof Verdict.Ask ask) {
            return asks(run, key, ask, goOn);
        }
        go(run);
        return false;
    }

    private void askAgain() {
        for (Waiting each = waiting.poll(); each != null; each = waiting.poll()) {
            each.goOn().run();
        }
    }

    private Verdict decide(Growing placements, String key, Run run) {
        int partition = number(run.partition());
        String position = run.position().text();
        return view.decide(
                count -> placements.placement(key, count),
                partition,
                Long.parseLong(position, position.indexOf(':') + 1, position.length(), 10));
    }

    private static int number(Partition partition) {
        return Integer.parseInt(partition.name());
    }

    private boolean asks(Run run, String key, Verdict.Ask ask, Runnable goOn) {
        BucketSender<LookAt, State> to = sender;
        List<LookAt> places = new ArrayList<>(2);
        for (Place each : ask.places()) {
            if (!isClear(key, each)) {
                places.add(new LookAt(each.partition(), new Ask(key, each.end())));
            }
        }
        if (places.isEmpty() || to == null) {
            go(run);
            return false;
        }
        AtomicInteger left = new AtomicInteger(places.size());
        AtomicBoolean settled = new AtomicBoolean(true);
        for (int i = 0; i < places.size(); i++) {
            LookAt place = places.get(i);
            boolean isFinal =
                    ask.places().stream().anyMatch(each -> each.isFinal() && each.partition() == place.partition());
            to.add(place, WAIT_MILLIS, state -> {
                if (state != State.CLEAR) {
                    settled.set(false);
                } else if (isFinal) {
                    noteClear(key, place.partition(), place.ask().end());
                }
                if (left.decrementAndGet() == 0) {
                    if (settled.get()) {
                        go(run);
                    } else {
                        hold(run);
                    }
                    goOn.run();
                }
            });
        }
        to.send();
        return true;
    }

    private boolean isClear(String key, Place place) {
        if (!place.isFinal()) {
            return false;
        }
        synchronized (clear) {
            return clear.containsKey(clearName(key, place.partition(), place.end()));
        }
    }

    private void noteClear(String key, int partition, long end) {
        synchronized (clear) {
            clear.put(clearName(key, partition, end), true);
        }
    }

    private static String clearName(String key, int partition, long end) {
        return partition + ":" + end + ":" + key;
    }

    private void go(Run run) {
        answered.put(run, null);
        synchronized (held) {
            held.remove(run.place());
        }
    }

    private void hold(Run run) {
        long now = clock.millis();
        TaskPlace place = run.place();
        synchronized (held) {
            Held before = held.get(place);
            long since = before == null ? now : before.since();
            long millis = Math.max(LEAST_HOLD_MILLIS, Math.min(MOST_HOLD_MILLIS, (now - since) / HOLD_SHARE));
            held.put(place, new Held(since, now + millis));
            answered.put(run, Outcome.Snoozed.waitingFor(WAITS_FOR, millis));
        }
    }

    @Override
    public boolean mayRun(Run run) {
        return answered.mayRun(run);
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        return answered.take(run);
    }

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        then.run();
    }
}
