package dev.tandem.verify.check;

import dev.tandem.verify.load.EndedTasks;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Published;

/** What tasks promise that end otherwise than by their handlers: they expire, or an operator cancels them. */
final class EndCheck {

    /**
     * How long after an executor has looked whether a task has expired its handler may begin, on a machine that is not stalled. Also
     * how far wall clocks may be from that of events.
     */
    private static final long SLACK = 1_000_000_000;

    private final History history;
    private final Findings findings;
    private final long settleTime;
    private final boolean log;

    private EndCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.findings = findings;
        this.settleTime = settings.settleTime().toNanos();
        this.log = settings.log();
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        EndCheck check = new EndCheck(history, settings, findings);
        boolean clocksAreRight = history.processes.values().stream().noneMatch(process -> process.clockSet);
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published != null && EndedTasks.mayExpire(task.id)) {
                long due = published.dueAt() == 0 ? published.sentAt() : published.dueAt();
                check.checkStarts(task, due + EndedTasks.TTL.toNanos());
                if (clocksAreRight) {
                    check.checkExpired(task, due + EndedTasks.TTL.toNanos());
                }
            }
        }
        history.cancels.forEach(check::checkCancelled);
    }

    /** No run begins after the time of its task. The clock of the executor decides, and a process that stands still cannot look. */
    private void checkStarts(TaskHistory task, long expiry) {
        for (HandlerRun run : task.runs) {
            findings.checked(CheckerRule.EXPIRY);
            ProcessHistory process = history.process(run.process);
            if (run.start > expiry + SLACK
                    && !process.clockSet
                    && !process.wasFrozenWithin(expiry, run.start)
                    && !history.machine.stalled(run.process, expiry, run.start)
                    && !history.machine.stalled(ProcessHistory.OF_TRIAL, expiry - 2 * SLACK, expiry)) {
                findings.violated(
                        CheckerRule.EXPIRY,
                        run.start,
                        task.describe() + " started " + ClaimCheck.millis(run.start - expiry)
                                + " ms after it had expired: " + run);
            }
        }
    }

    /** A task expires when its time is over, or with an attempt that failed and would be repeated after that. */
    private void checkExpired(TaskHistory task, long expiry) {
        Event.KeptEnd kept = task.keptEnd;
        if (kept == null) {
            return;
        }
        findings.checked(CheckerRule.EXPIRY);
        if (!kept.kind().equals(Event.KeptEnd.EXPIRED)) {
            findings.violated(
                    CheckerRule.EXPIRY, kept.endedAt(), task.describe() + " ended as " + kept.kind() + ", not expired");
        } else if (task.runs.isEmpty() && kept.endedAt() < expiry - SLACK) {
            findings.violated(
                    CheckerRule.EXPIRY,
                    kept.endedAt(),
                    task.describe() + " expired " + ClaimCheck.millis(expiry - kept.endedAt()) + " ms before its time");
        }
        checkNoSuccess(CheckerRule.EXPIRY, task, "is kept as expired");
    }

    private void checkCancelled(Event.CancelConfirmed cancel) {
        TaskHistory task = history.tasks.get(cancel.id());
        if (task == null
                || history.mayHaveLostWrites(cancel.askedAt(), cancel.at())
                || mayBeTakenOverAgain(task, cancel)) {
            return;
        }
        findings.checked(CheckerRule.CANCELLATIONS);
        task.runs.stream()
                .filter(run -> !run.isStale() && run.start > cancel.at())
                .findFirst()
                .ifPresent(run -> findings.violated(
                        CheckerRule.CANCELLATIONS,
                        run.start,
                        task.describe() + " started " + ClaimCheck.millis(run.start - cancel.at())
                                + " ms after it was confirmed as cancelled: " + run));
        Event.KeptEnd kept = task.keptEnd;
        boolean known = kept != null || !history.mayHaveEndedUnseen(task);
        if (history.finalAudit() != null
                && known
                && (kept == null || !kept.kind().equals(Event.KeptEnd.CANCELLED))) {
            findings.violated(
                    CheckerRule.CANCELLATIONS,
                    cancel.at(),
                    task.describe() + " was confirmed as cancelled, but is kept as "
                            + (kept == null ? "nothing of the kind" : kept.kind()));
        }
        checkNoSuccess(CheckerRule.CANCELLATIONS, task, "was confirmed as cancelled");
    }

    /**
     * Returns whether the owner of a message queue may have handed the task over again, since it lost the store before it knew that
     * the first time was durable. It does not hear what an operator does with the task in between.
     */
    private boolean mayBeTakenOverAgain(TaskHistory task, Event.CancelConfirmed cancel) {
        Published published = task.published;
        if (log || published == null || !EndedTasks.isCancelledWhileItWaits(task.id)) {
            return false;
        }
        long until = cancel.at() + 2 * settleTime;
        return history.wasDown(Event.Server.STORE, published.sentAt(), until)
                || history.processes.values().stream()
                        .anyMatch(process -> process.wasCutOffWithin(Event.Server.STORE, published.sentAt(), until));
    }

    /** The last run of a task that ended otherwise has not succeeded, unless its outcome did not reach the store. */
    private void checkNoSuccess(CheckerRule rule, TaskHistory task, String what) {
        HandlerRun last = task.lastRun();
        if (last == null || !last.succeeded()) {
            return;
        }
        long recorded = last.end + settleTime;
        boolean mayBeUnrecorded = history.process(last.process).wasHitBy(recorded)
                || history.mayHaveLostWrites(last.end - settleTime, recorded)
                || history.wasDown(Event.Server.STORE, last.end - settleTime, recorded);
        if (!mayBeUnrecorded) {
            findings.violated(
                    rule, last.end, task.describe() + " " + what + " although its last run succeeded: " + last);
        }
    }
}
