package dev.tandem.server.demo;

import dev.tandem.server.demo.DemoEvent.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a run by what its handlers wrote down: is every task accounted for, how often did one run for nothing, did the
 * tasks of a key run one after another and in their order, and how late were those that had a time.
 */
final class DemoCheck {

    /** An outcome can be missing only for what ended so shortly before the kill that it was not settled yet. */
    static final long UNSETTLED_MICROS = 5_000_000;

    /** The same from publishing to the ack of a delayed task: delivery, the horizon, and a slow machine. */
    static final long TAKING_OVER_MICROS = 8_000_000;

    /** Message times are whole milliseconds. */
    private static final long EARLY_MICROS = 1_000;

    /** A delayed task waits at most for the takeover of a killed process's partitions, and as long as others do here. */
    static final long LATEST_MICROS = 20_000_000;

    /** @param publishedMicros the message's own time, from which its delay counts */
    record Published(DemoTask task, long publishedMicros) {}

    /** @param executor whose log it is; @param micros when it was killed */
    record Kill(String executor, long micros) {}

    /**
     * @param lost published, and neither succeeded nor dead as planned
     * @param duplicates runs too many of tasks that succeeded
     * @param duplicatesByKill those of them that the kill explains
     * @param outOfOrder a step that began before an earlier one of its key had ended
     * @param overlaps two runs of one key at the same time
     * @param tokensBack runs of a key whose fencing token was not higher than an earlier one's
     * @param early delayed tasks that began before their time
     * @param lateness of delayed tasks' first starts, microseconds, sorted
     * @param waitMicros how long a task without a delay waited at most: a machine that is slow is so for all
     */
    record Verdict(
            int tasks,
            int succeeded,
            int dead,
            int retried,
            List<String> lost,
            int duplicates,
            int duplicatesByKill,
            List<String> outOfOrder,
            List<String> overlaps,
            List<String> tokensBack,
            List<String> early,
            List<Long> lateness,
            long waitMicros) {

        boolean passed() {
            return lost.isEmpty()
                    && duplicates == duplicatesByKill
                    && outOfOrder.isEmpty()
                    && overlaps.isEmpty()
                    && tokensBack.isEmpty()
                    && early.isEmpty()
                    && inTime();
        }

        boolean inTime() {
            return latestMicros() <= LATEST_MICROS + waitMicros;
        }

        long latestMicros() {
            return lateness.isEmpty() ? 0 : lateness.get(lateness.size() - 1);
        }

        long latenessAt(double quantile) {
            return lateness.isEmpty()
                    ? 0
                    : lateness.get((int) Math.min(lateness.size() - 1, lateness.size() * quantile));
        }
    }

    /** One run of a handler. @param outcome null if its end was not written down */
    private record Run(
            DemoTask task,
            String executor,
            long start,
            long end,
            @Nullable Kind outcome,
            long token) {}

    private final Map<String, Published> published = new HashMap<>();
    private final @Nullable Kill kill;
    private final Map<String, List<Run>> runs = new HashMap<>();
    private int retried;

    private DemoCheck(Collection<Published> all, @Nullable Kill kill) {
        all.forEach(each -> published.put(each.task().id(), each));
        this.kill = kill;
    }

    /** @param logs by executor, each in the order in which it was written */
    static Verdict judge(Collection<Published> published, Map<String, List<DemoEvent>> logs, @Nullable Kill kill) {
        DemoCheck check = new DemoCheck(published, kill);
        logs.forEach(check::read);
        return check.verdict();
    }

    private void read(String executor, List<DemoEvent> events) {
        long over = kill != null && kill.executor().equals(executor) ? kill.micros() : Long.MAX_VALUE;
        Map<String, DemoEvent> open = new HashMap<>();
        for (DemoEvent event : events) {
            Published known = published.get(event.id());
            if (known == null) {
                continue; // published by someone else
            }
            if (event.kind() == Kind.START) {
                open.put(event.id() + ' ' + event.token(), event);
                continue;
            }
            DemoEvent start = open.remove(event.id() + ' ' + event.token());
            if (start != null) {
                add(new Run(known.task(), executor, start.micros(), event.micros(), event.kind(), event.token()));
                retried += event.kind() == Kind.FAILURE ? 1 : 0;
            }
        }
        for (DemoEvent start : open.values()) {
            Published known = published.get(start.id());
            if (known != null) {
                add(new Run(known.task(), executor, start.micros(), over, null, start.token()));
            }
        }
    }

    private void add(Run run) {
        runs.computeIfAbsent(run.task().id(), id -> new ArrayList<>()).add(run);
    }

    private Verdict verdict() {
        List<String> lost = new ArrayList<>();
        List<String> early = new ArrayList<>();
        List<Long> lateness = new ArrayList<>();
        int succeeded = 0;
        int dead = 0;
        int duplicates = 0;
        int explained = 0;
        long wait = 0;
        for (Published each : published.values()) {
            DemoTask task = each.task();
            List<Run> of = runs.getOrDefault(task.id(), List.of());
            Kind wanted = task.dead() ? Kind.DEAD : Kind.SUCCESS;
            List<Run> ended = of.stream().filter(run -> run.outcome() == wanted).toList();
            if (ended.isEmpty()) {
                lost.add(task.id());
            } else {
                succeeded += task.dead() ? 0 : 1;
                dead += task.dead() ? 1 : 0;
                int extra = ended.size() - 1;
                duplicates += extra;
                explained += Math.min(extra, explicable(each, of, ended));
            }
            if (of.isEmpty()) {
                continue;
            }
            long first = of.stream().mapToLong(Run::start).min().orElseThrow();
            if (!task.delayed()) {
                wait = Math.max(wait, first - each.publishedMicros());
            } else {
                long late = first - each.publishedMicros() - task.delay().toNanos() / 1_000;
                lateness.add(Math.max(0, late));
                if (late < -EARLY_MICROS) {
                    early.add(task.id());
                }
            }
        }
        lateness.sort(null);
        List<String> outOfOrder = new ArrayList<>();
        List<String> overlaps = new ArrayList<>();
        List<String> tokensBack = new ArrayList<>();
        for (List<Run> lane : lanes()) {
            judgeLane(lane, outOfOrder, overlaps, tokensBack);
        }
        return new Verdict(
                published.size(),
                succeeded,
                dead,
                retried,
                lost,
                duplicates,
                explained,
                outOfOrder,
                overlaps,
                tokensBack,
                early,
                lateness,
                wait);
    }

    /** How many further runs the kill explains. */
    private int explicable(Published each, List<Run> all, List<Run> ended) {
        int unsettled = (int) ended.stream().filter(this::unsettled).count();
        // In an unordered queue of RabbitMQ a message that comes again is not recognised, so one that waits in Redis,
        // until it is due or for its next attempt, runs twice as well.
        boolean unordered = each.task().queue().equals(DemoWorkload.MAILS);
        boolean hadIt = all.stream().anyMatch(this::unsettled) || mayHaveTakenOver(each);
        return unordered && hadIt ? Math.max(1, unsettled) : unsettled;
    }

    /** Whether the killed process may have put it into Redis until it is due, and not acked it yet. */
    private boolean mayHaveTakenOver(Published each) {
        return kill != null
                && each.task().delayed()
                && each.publishedMicros() > kill.micros() - TAKING_OVER_MICROS
                && each.publishedMicros() <= kill.micros();
    }

    /** Whether the killed process had it so shortly before that what came of it may not have been settled. */
    private boolean unsettled(Run run) {
        return kill != null && run.executor().equals(kill.executor()) && run.end() > kill.micros() - UNSETTLED_MICROS;
    }

    private Collection<List<Run>> lanes() {
        Map<String, List<Run>> lanes = new TreeMap<>();
        runs.values()
                .forEach(of -> of.forEach(run -> {
                    if (run.task().key() != null) {
                        lanes.computeIfAbsent(
                                        run.task().queue() + ' ' + run.task().key(), key -> new ArrayList<>())
                                .add(run);
                    }
                }));
        lanes.values().forEach(lane -> lane.sort(Comparator.comparingLong(Run::start)));
        return lanes.values();
    }

    private static void judgeLane(
            List<Run> lane, List<String> outOfOrder, List<String> overlaps, List<String> tokensBack) {
        Set<Integer> ended = new HashSet<>();
        for (int i = 0; i < lane.size(); i++) {
            Run run = lane.get(i);
            if (i > 0 && lane.get(i - 1).end() > run.start()) {
                overlaps.add(lane.get(i - 1).task().id() + " and " + run.task().id());
            }
            if (i > 0 && lane.get(i - 1).token() >= run.token()) {
                tokensBack.add(run.task().id());
            }
            for (int step = 0; step < run.task().step(); step++) {
                if (!ended.contains(step)) {
                    outOfOrder.add(run.task().id() + " before step " + step);
                }
            }
            if (run.outcome() == Kind.SUCCESS || run.outcome() == Kind.DEAD) {
                ended.add(run.task().step());
            }
        }
    }
}
