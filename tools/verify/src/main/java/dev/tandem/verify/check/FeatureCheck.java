package dev.tandem.verify.check;

import dev.tandem.verify.load.FeatureTasks;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What deduplication keys, dependencies and limits promise. The ids of the tasks say what they have, see {@link FeatureTasks}. */
final class FeatureCheck {

    private final History history;
    private final Findings findings;

    private FeatureCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, Findings findings) {
        FeatureCheck check = new FeatureCheck(history, findings);
        Map<String, List<TaskHistory>> byDedupKey = new TreeMap<>();
        for (TaskHistory task : history.tasks.values()) {
            String key = FeatureTasks.dedupKey(task.id);
            if (key != null) {
                byDedupKey.computeIfAbsent(key, none -> new ArrayList<>()).add(task);
            }
        }
        byDedupKey.values().forEach(check::checkCopies);
        history.tasks.values().forEach(task -> check.checkDependent(task, byDedupKey));
        check.checkLimit();
    }

    /** One of the copies runs, if more than one was published. */
    private void checkCopies(List<TaskHistory> copies) {
        if (copies.size() < 2) {
            return;
        }
        findings.checked(CheckerRule.DEDUPLICATION);
        List<TaskHistory> started = copies.stream()
                .filter(task -> task.firstStart() != Period.NEVER)
                .sorted(Comparator.comparingLong(TaskHistory::firstStart))
                .toList();
        // A store that has lost its last writes may have forgotten which one runs.
        if (started.size() > 1 && !lostWritesBefore(started.get(1).firstStart())) {
            findings.violated(
                    CheckerRule.DEDUPLICATION,
                    started.get(1).firstStart(),
                    "Two tasks with one deduplication key ran: "
                            + started.get(0).describeRuns() + " and "
                            + started.get(1).describeRuns());
        }
    }

    private void checkDependent(TaskHistory task, Map<String, List<TaskHistory>> byDedupKey) {
        String awaited = FeatureTasks.dependsOn(task.id);
        long start = task.firstStart();
        if (awaited == null || start == Period.NEVER) {
            return;
        }
        findings.checked(CheckerRule.DEPENDENCIES);
        boolean succeeded =
                byDedupKey.getOrDefault(awaited, List.of()).stream().anyMatch(each -> each.succeededBy(start));
        if (!succeeded) {
            findings.violated(
                    CheckerRule.DEPENDENCIES,
                    start,
                    task.describe() + " started before " + awaited + " had succeeded. Its runs: "
                            + task.describeRuns());
        }
    }

    /**
     * Counts the runs of processes that no fault affects. One that is dead, frozen or cut off has its permits for up to a lease, in
     * which others may not use them; what it runs after that does not count.
     */
    private void checkLimit() {
        Map<Long, Integer> changes = new TreeMap<>();
        Map<Long, HandlerRun> startedBy = new HashMap<>();
        for (HandlerRun run : history.runs) {
            if (FeatureTasks.isLimited(run.id) && !run.stale) {
                ProcessHistory process = history.process(run.process);
                long until = process.undisturbedUntil(run.start, Math.min(run.validUntil(), process.ended));
                if (until > run.start) {
                    findings.checked(CheckerRule.LIMITS);
                    changes.merge(run.start, 1, Integer::sum);
                    changes.merge(until, -1, Integer::sum);
                    startedBy.put(run.start, run);
                }
            }
        }
        int running = 0;
        for (Map.Entry<Long, Integer> change : changes.entrySet()) {
            running += change.getValue();
            if (running > FeatureTasks.LIMIT && !lostWritesBefore(change.getKey())) {
                findings.violated(
                        CheckerRule.LIMITS,
                        change.getKey(),
                        running + " tasks of a limit of " + FeatureTasks.LIMIT + " ran at once, when "
                                + startedBy.get(change.getKey()) + " had started");
            }
        }
    }

    private boolean lostWritesBefore(long at) {
        return history.writeLosses.stream().anyMatch(loss -> loss.since() <= at);
    }
}
