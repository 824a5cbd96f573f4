package dev.tandem.verify.check;

import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Published;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Guarantee 2: the order of the tasks of each key. */
final class OrderCheck {

    private final History history;
    private final Findings findings;

    private OrderCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        if (!settings.ordered()) {
            findings.notChecked(CheckerRule.ORDER, "the queue has no order");
            return;
        }
        OrderCheck check = new OrderCheck(history, findings);
        Map<String, List<TaskHistory>> byKey = new LinkedHashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            String key = task.key();
            if (key != null) {
                byKey.computeIfAbsent(key, name -> new ArrayList<>()).add(task);
            }
        }
        byKey.forEach((key, tasks) -> {
            check.checkOneAtATime(key, tasks);
            check.checkBrokerOrder(key, tasks);
        });
    }

    /** No task of a key starts between the first start and the final end of another. */
    private void checkOneAtATime(String key, List<TaskHistory> tasks) {
        List<TaskHistory> started = tasks.stream()
                .filter(task -> task.firstStart() != Period.NEVER)
                .sorted(Comparator.comparingLong(TaskHistory::firstStart))
                .toList();
        TaskHistory lastToEnd = null;
        long end = Long.MIN_VALUE;
        for (TaskHistory task : started) {
            if (lastToEnd != null) {
                findings.checked(CheckerRule.ORDER);
                if (task.firstStart() < end && !startWasForgotten(lastToEnd, task)) {
                    findings.violated(
                            CheckerRule.ORDER,
                            task.firstStart(),
                            "For key " + key + " task " + task.id + " started before task " + lastToEnd.id
                                    + " had ended. Runs: " + task.describeRuns() + " and " + lastToEnd.describeRuns());
                }
            }
            long taskEnd = task.firstEnd();
            if (taskEnd > end && !endedUnseen(task)) {
                end = taskEnd;
                lastToEnd = task;
            }
        }
    }

    /**
     * Returns whether no process could know that one task had begun when the other started: the store forgot the
     * claims, and every process that ran the task was dead or could not reach the store. Allowed only if one of the
     * two was scheduled; otherwise the broker's order tells which comes first.
     */
    private boolean startWasForgotten(TaskHistory begun, TaskHistory other) {
        long by = other.firstStart();
        return (begun.isScheduled() || other.isScheduled())
                && begun.runs.stream().filter(run -> run.start < by).allMatch(run -> claimWasForgotten(run, by));
    }

    private boolean claimWasForgotten(HandlerRun run, long by) {
        ProcessHistory process = history.process(run.process);
        return history.writeLosses.stream()
                .anyMatch(loss -> run.start >= loss.since()
                        && run.start <= loss.at()
                        && loss.at() <= by
                        && run.end >= by
                        && (process.wasKilledWithin(run.start, by)
                                || process.wasFrozenWithin(loss.since(), by)
                                || process.wasCutOffWithin(Server.STORE, loss.since(), by)));
    }

    /**
     * Returns whether the task has ended although no end was recorded: it is dead because its runs were cut off, or the store lost
     * that it had expired or was cancelled.
     */
    private boolean endedUnseen(TaskHistory task) {
        Audit audit = history.finalAudit();
        return task.firstEnd() == Period.NEVER
                && audit != null
                && (audit.dead().contains(task.id)
                        || (history.mayHaveEndedUnseen(task) && !audit.held().contains(task.id)));
    }

    /** Tasks of a partition that were due when they were published start in the broker's order. */
    private void checkBrokerOrder(String key, List<TaskHistory> tasks) {
        Map<Integer, List<TaskHistory>> byPartition = new LinkedHashMap<>();
        for (TaskHistory task : tasks) {
            Published published = task.published;
            boolean endedWithoutRun = task.firstStart() == Period.NEVER && FeatureTasks.mayEndWithoutRun(task.id);
            if (published != null && published.dueAt() == 0 && !endedWithoutRun) {
                byPartition
                        .computeIfAbsent(published.partition(), partition -> new ArrayList<>())
                        .add(task);
            }
        }
        for (List<TaskHistory> inPartition : byPartition.values()) {
            inPartition.sort(Comparator.comparingLong(OrderCheck::position));
            TaskHistory lastToStart = null;
            for (TaskHistory task : inPartition) {
                if (lastToStart != null) {
                    checkStartsAfter(key, lastToStart, task);
                }
                if (lastToStart == null || task.firstStart() > lastToStart.firstStart()) {
                    lastToStart = task;
                }
            }
        }
    }

    private void checkStartsAfter(String key, TaskHistory earlier, TaskHistory task) {
        findings.checked(CheckerRule.ORDER);
        if (task.firstStart() != Period.NEVER && task.firstStart() < earlier.firstStart()) {
            findings.violated(
                    CheckerRule.ORDER,
                    task.firstStart(),
                    "For key " + key + " task " + task.id + " at position " + position(task) + " started before task "
                            + earlier.id + " at position " + position(earlier) + ". Runs: " + task.describeRuns()
                            + " and "
                            + earlier.describeRuns());
        }
    }

    private static long position(TaskHistory task) {
        Published published = task.published;
        return published == null ? -1 : published.sequence();
    }
}
