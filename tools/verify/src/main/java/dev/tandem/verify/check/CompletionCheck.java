package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import java.util.HashSet;
import java.util.Set;

/** Guarantee 1: what became of every acknowledged task. */
final class CompletionCheck {

    private final History history;
    private final CheckerSettings bounds;
    private final Findings sheet;
    long succeeded;
    long dead;
    long resting;

    CompletionCheck(History history, CheckerSettings bounds, Findings sheet) {
        this.history = history;
        this.bounds = bounds;
        this.sheet = sheet;
    }

    void judge() {
        leftInTime();
        Event.Audit last = history.lastAudit();
        succeeded = history.tasks.values().stream()
                .filter(task -> task.published != null && task.succeeded())
                .count();
        if (last == null) {
            String why = "broker and store were not asked at the end";
            sheet.omit(CheckerRule.NOTHING_LOST, why);
            sheet.omit(CheckerRule.ALL_DONE, why);
            return;
        }
        Set<String> held = new HashSet<>(last.held());
        Set<String> buried = new HashSet<>(last.dead());
        dead = buried.size();
        Set<String> halted = new HashSet<>();
        if (bounds.ordered()) {
            history.tasks.values().stream()
                    .filter(task -> buried.contains(task.id) && task.key() != null)
                    .forEach(task -> halted.add(task.key()));
        }
        if (bounds.log() && history.closed != null) {
            sheet.looked(CheckerRule.ALL_DONE);
            if (history.closed.backlog() > 0) {
                sheet.broken(
                        CheckerRule.ALL_DONE,
                        history.closed.at(),
                        history.closed.backlog() + " offsets were never committed");
            }
        }
        boolean emptyBroker = history.closed != null && history.closed.backlog() == 0;
        for (TaskHistory task : history.tasks.values()) {
            if (task.published == null) {
                continue;
            }
            sheet.looked(CheckerRule.NOTHING_LOST);
            if (task.succeeded() || buried.contains(task.id)) {
                sheet.looked(CheckerRule.ALL_DONE);
            } else if (held.contains(task.id)) {
                if (halted.contains(task.key())) {
                    resting++;
                } else {
                    unfinished(last.at(), task, "the store holds it");
                }
            } else if (emptyBroker || committed(last, task)) {
                sheet.broken(
                        CheckerRule.NOTHING_LOST,
                        last.at(),
                        task.id + " (" + place(task)
                                + ") was acknowledged and has not ended, and neither broker nor store has"
                                + " it; its runs: " + task.runs);
            } else {
                unfinished(last.at(), task, "the broker holds it");
            }
        }
    }

    /** Who was asked to leave and had nothing to wait for did not have to be killed. */
    private void leftInTime() {
        history.lives.forEach((process, life) -> {
            if (life.leaving && life.troubles.isEmpty() && history.outages.isEmpty()) {
                sheet.looked(CheckerRule.ALL_DONE);
                if (life.killed) {
                    sheet.broken(
                            CheckerRule.ALL_DONE,
                            life.death,
                            process + " was asked to leave and did not, until it was killed");
                }
            }
        });
    }

    private void unfinished(long at, TaskHistory task, String where) {
        sheet.looked(CheckerRule.ALL_DONE);
        sheet.broken(
                CheckerRule.ALL_DONE,
                at,
                task.id + " (" + place(task) + ") has not ended though nothing stands in its way: " + where
                        + "; its runs: " + task.runs);
    }

    private static String place(TaskHistory task) {
        Event.Published published = task.published;
        return published == null
                ? ""
                : "key " + published.key() + ", " + published.partition() + ":" + published.sequence();
    }

    private static boolean committed(Event.Audit audit, TaskHistory task) {
        Event.Published published = task.published;
        return published != null
                && published.partition() >= 0
                && published.partition() < audit.committed().size()
                && published.sequence() < audit.committed().get(published.partition());
    }
}
