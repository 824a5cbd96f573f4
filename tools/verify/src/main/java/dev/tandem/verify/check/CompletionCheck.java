package dev.tandem.verify.check;

import dev.tandem.verify.load.RelatedTasks;
import dev.tandem.verify.record.Event;
import java.util.HashSet;
import java.util.Set;

/** Guarantee 1: what became of every acknowledged task by the end of the trial. */
final class CompletionCheck {

    /** The last part of the time that an executor has to leave. */
    private static final long LEAVING = 30_000_000_000L;

    private static final String TOO_BUSY = "the machine was too busy for everything to end in time";

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;
    long succeeded;
    long dead;
    long held;

    CompletionCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        checkExits();
        checkBacklog();
        succeeded = history.tasks.values().stream()
                .filter(task -> task.published != null && task.succeeded())
                .count();
        Event.Audit audit = history.finalAudit();
        if (audit == null) {
            String reason = "broker and store were not asked at the end";
            findings.notChecked(CheckerRule.NOTHING_LOST, reason);
            findings.notChecked(CheckerRule.ALL_DONE, reason);
        } else {
            checkTasks(audit);
        }
    }

    /** An executor that no fault affected must leave when it is asked to. */
    private void checkExits() {
        history.processes.forEach((name, process) -> {
            if (process.askedToLeave && !process.wasDisturbed() && history.outages.isEmpty()) {
                findings.checked(CheckerRule.ALL_DONE);
                if (process.killed && history.machine.wasBusy(process.ended - LEAVING, process.ended)) {
                    findings.notChecked(CheckerRule.ALL_DONE, TOO_BUSY);
                } else if (process.killed) {
                    findings.violated(
                            CheckerRule.ALL_DONE,
                            process.ended,
                            "Executor " + name + " was asked to leave, did not, and had to be killed,"
                                    + " although no fault affected it");
                }
            }
        });
    }

    private void checkBacklog() {
        Event.TrialClosed closed = history.closed;
        if (!settings.log() || closed == null || history.finalAudit() == null) {
            return;
        }
        findings.checked(CheckerRule.ALL_DONE);
        if (closed.backlog() > 0 && history.wasBusyAtTheEnd()) {
            findings.notChecked(CheckerRule.ALL_DONE, TOO_BUSY);
        } else if (closed.backlog() > 0) {
            findings.violated(
                    CheckerRule.ALL_DONE,
                    closed.at(),
                    "At the end of the trial " + closed.backlog() + " offsets were still not committed");
        }
    }

    private void checkTasks(Event.Audit audit) {
        Set<String> inStore = new HashSet<>(audit.held());
        Set<String> deadTasks = new HashSet<>(audit.dead());
        dead = deadTasks.size();
        Set<String> haltedKeys = haltedKeys(deadTasks);
        boolean brokerIsEmpty = history.closed != null && history.closed.backlog() == 0;
        for (TaskHistory task : history.tasks.values()) {
            if (task.published == null) {
                continue;
            }
            findings.checked(CheckerRule.NOTHING_LOST);
            boolean isDuplicate = task.endedAsDuplicate || history.isDuplicate(task);
            if (task.succeeded() || deadTasks.contains(task.id) || task.keptEnd != null || isDuplicate) {
                findings.checked(CheckerRule.ALL_DONE);
            } else if (inStore.contains(task.id)) {
                if (haltedKeys.contains(task.key()) || mayWaitForEver(task)) {
                    held++;
                } else {
                    unfinished(audit.at(), task, "the store holds it");
                }
            } else if ((brokerIsEmpty || isCommitted(audit, task)) && history.mayHaveEndedUnseen(task)) {
                findings.checked(CheckerRule.ALL_DONE);
            } else if (brokerIsEmpty || isCommitted(audit, task)) {
                findings.violated(
                        CheckerRule.NOTHING_LOST,
                        audit.at(),
                        task.describe() + " is lost: it was acknowledged and has not ended, and neither the broker nor"
                                + " the store has it. Its runs: " + task.describeRuns());
            } else {
                unfinished(audit.at(), task, "the broker holds it");
            }
        }
    }

    /**
     * Returns whether a task waits for one that was not published, because the load ended before, or of whose end the store may
     * have lost what it knew. It waits until its time is over.
     */
    private boolean mayWaitForEver(TaskHistory task) {
        String awaited = RelatedTasks.dependsOn(task.id);
        if (awaited == null || task.firstStart() != Period.NEVER) {
            return false;
        }
        return history.tasks.values().stream()
                .filter(each -> awaited.equals(RelatedTasks.dedupKey(each.id)) && each.published != null)
                .allMatch(each -> each.firstEnd() != Period.NEVER
                        && history.mayHaveLostWrites(
                                each.firstEnd(),
                                each.firstEnd() + settings.settleTime().toNanos()));
    }

    private Set<String> haltedKeys(Set<String> deadTasks) {
        Set<String> halted = new HashSet<>();
        if (settings.ordered()) {
            history.tasks.values().stream()
                    .filter(task -> deadTasks.contains(task.id) && task.key() != null)
                    .forEach(task -> halted.add(task.key()));
        }
        return halted;
    }

    private void unfinished(long at, TaskHistory task, String where) {
        findings.checked(CheckerRule.ALL_DONE);
        if (history.wasBusyAtTheEnd()) {
            findings.notChecked(CheckerRule.ALL_DONE, TOO_BUSY);
            return;
        }
        findings.violated(
                CheckerRule.ALL_DONE,
                at,
                task.describe() + " has not ended although nothing blocks it: " + where + ". Its runs: "
                        + task.describeRuns());
    }

    private static boolean isCommitted(Event.Audit audit, TaskHistory task) {
        Event.Published published = task.published;
        return published != null
                && published.partition() >= 0
                && published.partition() < audit.committed().size()
                && published.sequence() < audit.committed().get(published.partition());
    }
}
