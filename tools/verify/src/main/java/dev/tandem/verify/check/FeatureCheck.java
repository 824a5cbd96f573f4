package dev.tandem.verify.check;

import dev.tandem.task.TaskDependencies.Policy;
import dev.tandem.verify.load.PacedTasks;
import dev.tandem.verify.load.RelatedTasks;
import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Published;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What deduplication keys, dependencies and limits promise. The ids of the tasks say what they have, see {@link RelatedTasks}. */
final class FeatureCheck {

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;

    private FeatureCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        FeatureCheck check = new FeatureCheck(history, settings, findings);
        Map<String, List<TaskHistory>> byDedupKey = new TreeMap<>();
        for (TaskHistory task : history.tasks.values()) {
            String key = RelatedTasks.dedupKey(task.id);
            if (key != null) {
                byDedupKey.computeIfAbsent(key, none -> new ArrayList<>()).add(task);
            }
        }
        byDedupKey.values().forEach(check::checkCopies);
        history.tasks.values().forEach(task -> check.checkDependent(task, byDedupKey));
        check.checkLimit();
    }

    /** One of the copies runs, if more than one was published. When it has died, the key is free for those that come later. */
    private void checkCopies(List<TaskHistory> copies) {
        if (copies.size() < 2) {
            return;
        }
        findings.checked(CheckerRule.DEDUPLICATION);
        List<TaskHistory> started = copies.stream()
                .filter(task -> task.firstStart() != Period.NEVER)
                .sorted(Comparator.comparingLong(TaskHistory::firstStart))
                .toList();
        for (int i = 1; i < started.size(); i++) {
            TaskHistory before = started.get(i - 1);
            TaskHistory task = started.get(i);
            boolean freed = before.firstEnd() < task.firstStart() && !before.succeededBy(task.firstStart());
            // A store that has lost its last writes may have forgotten which one runs.
            if (!freed && !lostWritesBefore(task.firstStart())) {
                findings.violated(
                        CheckerRule.DEDUPLICATION,
                        task.firstStart(),
                        "Two tasks with one deduplication key ran: " + before.describeRuns() + " and "
                                + task.describeRuns());
            }
        }
        copies.stream().filter(task -> RelatedTasks.isLastCopy(task.id)).forEach(task -> checkRelease(task, started));
    }

    /** The last copy runs if it comes when all others that ran have died. */
    private void checkRelease(TaskHistory last, List<TaskHistory> started) {
        List<TaskHistory> others = started.stream().filter(task -> task != last).toList();
        Published published = last.published;
        if (published == null
                || others.isEmpty()
                || !others.stream().allMatch(task -> diedBefore(task, published.sentAt()))) {
            return;
        }
        findings.checked(CheckerRule.DEDUPLICATION);
        if (last.firstStart() == Period.NEVER && mustHaveEnded(last)) {
            findings.violated(
                    CheckerRule.DEDUPLICATION,
                    published.at(),
                    last.describe()
                            + " has not run, although those with its deduplication key had died before it came: "
                            + others.stream().map(TaskHistory::describeRuns).toList());
        }
    }

    /** Returns whether the store knew certainly by then that a task had died at its only run. */
    private boolean diedBefore(TaskHistory task, long at) {
        HandlerRun run = task.lastRun();
        return run != null
                && task.runs.size() == 1
                && run.ending == Ending.DEAD
                && run.end + settings.settleTime().toNanos() / 3 < at
                && history.isCalm(run.start, at, settings.recoveryTime().toNanos());
    }

    private boolean mustHaveEnded(TaskHistory task) {
        Audit audit = history.finalAudit();
        return audit != null
                && !audit.held().contains(task.id)
                && history.closed != null
                && history.closed.backlog() == 0
                && history.writeLosses.isEmpty();
    }

    private void checkDependent(TaskHistory task, Map<String, List<TaskHistory>> byDedupKey) {
        String awaited = RelatedTasks.dependsOn(task.id);
        if (awaited == null) {
            return;
        }
        List<TaskHistory> others = byDedupKey.getOrDefault(awaited, List.of());
        long start = task.firstStart();
        if (RelatedTasks.diesWithAwaited(task.id)) {
            checkDies(task, others);
        } else if (start != Period.NEVER) {
            findings.checked(CheckerRule.DEPENDENCIES);
            boolean goesOn = RelatedTasks.policy(task.id) == Policy.RUN;
            boolean mayRun =
                    others.stream().anyMatch(each -> each.succeededBy(start) || (goesOn && each.firstEnd() <= start));
            if (!mayRun) {
                findings.violated(
                        CheckerRule.DEPENDENCIES,
                        start,
                        task.describe() + " started before " + awaited + (goesOn ? " had ended" : " had succeeded")
                                + ". Its runs: " + task.describeRuns());
            }
        }
    }

    /** A task that does not go on without the one that it waits for never starts when that has died, and dies as well. */
    private void checkDies(TaskHistory task, List<TaskHistory> others) {
        findings.checked(CheckerRule.DEPENDENCIES);
        if (task.firstStart() != Period.NEVER) {
            findings.violated(
                    CheckerRule.DEPENDENCIES,
                    task.firstStart(),
                    task.describe() + " started, although the task that it waits for dies. Its runs: "
                            + task.describeRuns());
        }
        Audit audit = history.finalAudit();
        boolean awaitedDied = others.stream().anyMatch(each -> each.firstEnd() != Period.NEVER);
        if (awaitedDied && mustHaveEnded(task) && audit != null && !audit.dead().contains(task.id)) {
            findings.violated(
                    CheckerRule.DEPENDENCIES,
                    audit.at(),
                    task.describe() + " should be dead as the task that it waits for, but is not");
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
            if (PacedTasks.isLimited(run.id) && !run.isStale()) {
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
            if (running > PacedTasks.LIMIT && !lostWritesBefore(change.getKey())) {
                findings.violated(
                        CheckerRule.LIMITS,
                        change.getKey(),
                        running + " tasks of a limit of " + PacedTasks.LIMIT + " ran at once, when "
                                + startedBy.get(change.getKey()) + " had started");
            }
        }
    }

    private boolean lostWritesBefore(long at) {
        return history.writeLosses.stream().anyMatch(loss -> loss.since() <= at);
    }
}
