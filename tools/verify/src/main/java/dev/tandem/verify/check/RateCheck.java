package dev.tandem.verify.check;

import dev.tandem.verify.load.PacedTasks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What rate limits promise: in no time do more tasks of a bucket begin than rate and burst allow, in all executors together. */
final class RateCheck {

    /** How long after the time of its token a handler may begin. */
    private static final long LATE = TimeUnit.SECONDS.toNanos(1);

    /** A process that stood still within this time before a start may have begun it later than it was allowed to. */
    private static final long LOOK_BACK = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final double RATE_PER_NANO = PacedTasks.RATE / 1e9;

    private final History history;
    private final Findings findings;

    private RateCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, Findings findings) {
        RateCheck check = new RateCheck(history, findings);
        Map<String, List<HandlerRun>> buckets = new TreeMap<>();
        BusySlots slots = new BusySlots(history);
        for (HandlerRun run : history.runs) {
            String bucket = PacedTasks.bucket(run.id);
            if (bucket != null
                    && !check.mayBeLate(run)
                    && !slots.wereTaken(run.process, run.start - LOOK_BACK, run.start)) {
                buckets.computeIfAbsent(bucket, none -> new ArrayList<>()).add(run);
            }
        }
        buckets.forEach(check::checkBucket);
    }

    /** Returns whether a run may have had its token long before it began. */
    private boolean mayBeLate(HandlerRun run) {
        return run.isStale()
                || history.process(run.process).wasFrozenWithin(run.start - LOOK_BACK, run.start)
                || history.machine.stalled(run.process, run.start - LOOK_BACK, run.start);
    }

    private void checkBucket(String bucket, List<HandlerRun> runs) {
        runs.sort(Comparator.comparingLong(run -> run.start));
        for (int first = 0; first < runs.size(); first++) {
            for (int last = first + PacedTasks.BURST; last < runs.size(); last++) {
                checkWindow(bucket, runs.get(first), runs.get(last), last - first + 1);
            }
        }
    }

    private void checkWindow(String bucket, HandlerRun first, HandlerRun last, int count) {
        // A store that has lost its last writes has forgotten which tokens were taken.
        if (history.mayHaveLostWrites(first.start - LOOK_BACK, last.start)) {
            return;
        }
        findings.checked(CheckerRule.RATES);
        long window = last.start - first.start;
        if (count > PacedTasks.BURST + RATE_PER_NANO * (window + LATE)) {
            findings.violated(
                    CheckerRule.RATES,
                    last.start,
                    count + " tasks of the bucket " + bucket + " began within " + ClaimCheck.millis(window)
                            + " ms, but " + PacedTasks.RATE + " a second may, and " + PacedTasks.BURST
                            + " at once: from " + first + " to " + last);
        }
    }

    /** The times in which all slots of a process were taken, so that a task had to wait behind its token. */
    private static final class BusySlots {

        private static final int FIRST_ALONE = 3;

        private final Map<String, List<Period>> taken = new HashMap<>();

        BusySlots(History history) {
            Map<String, TreeMap<Long, Integer>> changes = new HashMap<>();
            history.runs.forEach(run -> count(changes, run));
            history.subtasks.values().forEach(task -> task.runs.forEach(run -> count(changes, run)));
            changes.forEach((process, its) -> taken.put(process, periods(its)));
        }

        private static void count(Map<String, TreeMap<Long, Integer>> changes, HandlerRun run) {
            TreeMap<Long, Integer> its = changes.computeIfAbsent(run.process, none -> new TreeMap<>());
            // A task whose executors died twice runs alone.
            int slots = run.attempt < FIRST_ALONE ? 1 : PacedTasks.SLOTS;
            its.merge(run.start, slots, Integer::sum);
            its.merge(Math.min(run.end, run.processEnd), -slots, Integer::sum);
        }

        private static List<Period> periods(TreeMap<Long, Integer> changes) {
            List<Period> periods = new ArrayList<>();
            int running = 0;
            long since = Period.NEVER;
            for (Map.Entry<Long, Integer> change : changes.entrySet()) {
                boolean before = running >= PacedTasks.SLOTS;
                running += change.getValue();
                boolean now = running >= PacedTasks.SLOTS;
                if (now && !before) {
                    since = change.getKey();
                } else if (before && !now) {
                    periods.add(new Period(since, change.getKey()));
                }
            }
            return periods;
        }

        boolean wereTaken(String process, long from, long to) {
            return taken.getOrDefault(process, List.of()).stream().anyMatch(period -> period.overlaps(from, to));
        }
    }
}
