package dev.tandem.demo;

import dev.tandem.demo.DemoEvent.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a demonstration by the event logs of its handlers: whether every task succeeded or died as planned, how often
 * a task ran again after it had succeeded, whether the tasks of each key ran one at a time and in order, whether those
 * behind a dead one of their key still wait, whether no more ran at once than their limit permits, and how late the
 * delayed tasks were.
 */
final class DemoCheck {

    /** Only an outcome this recent at the kill can be unsettled. */
    static final long UNSETTLED_MICROS = 5_000_000;

    /** Covers the time from publishing a delayed task to its ack: delivery, the horizon, and a slow machine. */
    static final long HAND_OVER_MICROS = 8_000_000;

    /** Message timestamps are whole milliseconds. */
    private static final long EARLY_MICROS = 1_000;

    /** A delayed task waits no longer than it takes to acquire a killed process's partitions, plus the usual wait. */
    static final long LATEST_MICROS = 20_000_000;

    /** A published task. @param publishedMicros the message's timestamp; a delay counts from it */
    record Published(DemoTask task, long publishedMicros) {}

    /** The kill of an executor. @param micros when it was killed */
    record Kill(String executor, long micros) {}

    private final Map<String, Published> published = new HashMap<>();
    private final @Nullable Kill kill;
    private final Map<String, List<HandlerRun>> runs = new HashMap<>();
    private int retried;

    private final List<String> lost = new ArrayList<>();
    private final List<String> notHalted = new ArrayList<>();
    private final List<String> early = new ArrayList<>();
    private final List<Long> lateness = new ArrayList<>();
    private final List<String> outOfOrder = new ArrayList<>();
    private final List<String> overlaps = new ArrayList<>();
    private final List<String> tokensBack = new ArrayList<>();
    private int succeeded;
    private int dead;
    private int waiting;
    private int duplicates;
    private int duplicatesByKill;
    private long waitMicros;

    private DemoCheck(Collection<Published> all, @Nullable Kill kill) {
        all.forEach(each -> published.put(each.task().id(), each));
        this.kill = kill;
    }

    /**
     * Judges a demonstration.
     *
     * @param logs by executor, each in the sequence in which it was written
     * @param halted at the end, the keys of those tasks that wait
     */
    static DemoVerdict judge(
            Collection<Published> published,
            Map<String, List<DemoEvent>> logs,
            @Nullable Kill kill,
            Map<String, KeyState> halted) {
        DemoCheck check = new DemoCheck(published, kill);
        HandlerRuns.read(check.published, logs, kill).forEach(check::add);
        check.judgeHalted(halted);
        return check.verdict(PermitCheck.mostAtOnce(logs, kill));
    }

    private void add(HandlerRun run) {
        runs.computeIfAbsent(run.task().id(), id -> new ArrayList<>()).add(run);
        retried += run.outcome() == Kind.FAILURE ? 1 : 0;
    }

    /** Each key with a task that waits must be halted by its dead task, with as many behind it as are to wait. */
    private void judgeHalted(Map<String, KeyState> halted) {
        Map<String, Integer> behind = new TreeMap<>();
        Map<String, String> heads = new HashMap<>();
        for (Published each : published.values()) {
            DemoTask task = each.task();
            if (task.key() != null && task.waits()) {
                behind.merge(task.key(), 1, Integer::sum);
            } else if (task.key() != null && task.dies()) {
                heads.put(task.key(), task.id());
            }
        }
        behind.forEach((key, count) -> {
            KeyState state = halted.get(key);
            if (state == null || !state.isHaltedBy(heads.getOrDefault(key, ""), count)) {
                notHalted.add(key + " is " + (state == null ? "not known" : state.toString()));
            }
        });
    }

    private DemoVerdict verdict(int mostAtOnce) {
        for (Published each : published.values()) {
            List<HandlerRun> ofTask = runs.getOrDefault(each.task().id(), List.of());
            judgeOutcome(each, ofTask);
            judgeStart(each, ofTask);
        }
        lateness.sort(null);
        runsByKey().forEach(this::judgeKey);
        return new DemoVerdict(
                published.size(),
                succeeded,
                dead,
                waiting,
                retried,
                lost,
                notHalted,
                duplicates,
                duplicatesByKill,
                outOfOrder,
                overlaps,
                tokensBack,
                mostAtOnce,
                early,
                lateness,
                waitMicros);
    }

    private void judgeOutcome(Published each, List<HandlerRun> ofTask) {
        DemoTask task = each.task();
        if (task.waits()) {
            if (ofTask.isEmpty()) {
                waiting++;
            } else {
                notHalted.add(task.id() + " ran");
            }
            return;
        }
        Kind planned = task.dies() ? Kind.DEAD : Kind.SUCCESS;
        List<HandlerRun> ended =
                ofTask.stream().filter(run -> run.outcome() == planned).toList();
        if (ended.isEmpty()) {
            lost.add(task.id());
            return;
        }
        succeeded += task.dies() ? 0 : 1;
        dead += task.dies() ? 1 : 0;
        int surplus = ended.size() - 1;
        duplicates += surplus;
        duplicatesByKill += Math.min(surplus, explainedByKill(each, ofTask, ended));
    }

    private void judgeStart(Published each, List<HandlerRun> ofTask) {
        DemoTask task = each.task();
        // Those of schedules wait for permits, which says nothing about the machine.
        if (ofTask.isEmpty() || task.queue().equals(DemoWorkload.REPORTS)) {
            return;
        }
        long waited = ofTask.stream().mapToLong(HandlerRun::start).min().orElseThrow() - each.publishedMicros();
        if (!task.delayed()) {
            waitMicros = Math.max(waitMicros, waited);
            return;
        }
        long late = waited - task.delay().toNanos() / 1_000;
        lateness.add(Math.max(0, late));
        if (late < -EARLY_MICROS) {
            early.add(task.id());
        }
    }

    /** How many surplus runs of a task the kill explains. */
    private int explainedByKill(Published each, List<HandlerRun> all, List<HandlerRun> ended) {
        int unsettled = (int) ended.stream().filter(this::mayBeUnsettled).count();
        // A message of an unordered RabbitMQ queue is not recognised when it is redelivered. So a task that waits in
        // Redis, until it is due or for its next attempt, may run twice as well.
        boolean unordered = each.task().queue().equals(DemoWorkload.MAILS);
        boolean hadIt = all.stream().anyMatch(this::mayBeUnsettled) || mayHaveHandedOver(each);
        return unordered && hadIt ? Math.max(1, unsettled) : unsettled;
    }

    /** Whether the killed process may have handed over a delayed task to Redis without acking its message. */
    private boolean mayHaveHandedOver(Published each) {
        return kill != null
                && each.task().delayed()
                && each.publishedMicros() > kill.micros() - HAND_OVER_MICROS
                && each.publishedMicros() <= kill.micros();
    }

    /** Whether the killed process ran it so shortly before the kill that its outcome may not have been settled. */
    private boolean mayBeUnsettled(HandlerRun run) {
        return kill != null && run.executor().equals(kill.executor()) && run.end() > kill.micros() - UNSETTLED_MICROS;
    }

    private Collection<List<HandlerRun>> runsByKey() {
        Map<String, List<HandlerRun>> byKey = new TreeMap<>();
        for (List<HandlerRun> ofTask : runs.values()) {
            for (HandlerRun run : ofTask) {
                if (run.task().key() != null) {
                    String key = run.task().queue() + ' ' + run.task().key();
                    byKey.computeIfAbsent(key, none -> new ArrayList<>()).add(run);
                }
            }
        }
        byKey.values().forEach(ofKey -> ofKey.sort(HandlerRun.BY_START));
        return byKey.values();
    }

    /** @param ofKey the runs of one key, by their start */
    private void judgeKey(List<HandlerRun> ofKey) {
        Set<Integer> endedSteps = new HashSet<>();
        for (int i = 0; i < ofKey.size(); i++) {
            HandlerRun run = ofKey.get(i);
            if (i > 0 && ofKey.get(i - 1).end() > run.start()) {
                overlaps.add(ofKey.get(i - 1).task().id() + " and " + run.task().id());
            }
            if (i > 0 && ofKey.get(i - 1).token() >= run.token()) {
                tokensBack.add(run.task().id());
            }
            for (int step = 0; step < run.task().step(); step++) {
                if (!endedSteps.contains(step)) {
                    outOfOrder.add(run.task().id() + " before step " + step);
                }
            }
            if (run.outcome() == Kind.SUCCESS || run.outcome() == Kind.DEAD) {
                endedSteps.add(run.task().step());
            }
        }
    }
}
