package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.record.Event.TaskEventCame;
import dev.tandem.verify.record.Event.TaskEventsRead;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What events promise: each end of a task has its event, none is told that did not happen, and the events of a key come in order.
 * Only first arrivals count, since an event may come again.
 */
final class EventCheck {

    private static final String SUCCEEDED = "succeeded";
    private static final String DEAD = "dead";

    private final History history;
    private final Findings findings;
    private final long settleTime;
    private final List<TaskEventCame> first = new ArrayList<>();
    private final Map<String, List<TaskEventCame>> byTask = new HashMap<>();
    private final Set<String> dead;
    private final Set<String> held;

    private EventCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.findings = findings;
        this.settleTime = settings.settleTime().toNanos();
        Set<String> seen = new HashSet<>();
        for (TaskEventCame event : history.taskEvents) {
            if (seen.add(event.eventId())) {
                first.add(event);
                byTask.computeIfAbsent(event.id(), none -> new ArrayList<>()).add(event);
            }
        }
        Audit audit = history.finalAudit();
        dead = audit == null ? Set.of() : Set.copyOf(audit.dead());
        held = audit == null ? Set.of() : Set.copyOf(audit.held());
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        EventCheck check = new EventCheck(history, settings, findings);
        check.first.forEach(check::checkTrue);
        check.checkOrder();
        TaskEventsRead read = history.taskEventsRead;
        if (read == null && history.taskEvents.isEmpty()) {
            return;
        }
        if (read == null || history.finalAudit() == null) {
            findings.notChecked(CheckerRule.EVENTS, "the events of the tasks were not read to their end");
        } else if (read.stuck() > 0) {
            check.checkStuck(read, settings);
        } else if (read.left() > 0) {
            // Executors that leave publish their last events for some seconds only.
            findings.notChecked(CheckerRule.EVENTS, "not all events had been published when the executors had left");
        } else if (history.droppedTaskEvents) {
            findings.notChecked(CheckerRule.EVENTS, "events were dropped, because Redis had no room for them");
        } else {
            history.tasks.values().forEach(check::checkTask);
        }
    }

    /** Events that wait from the end of the load on are not published at all, unless something keeps them from it. */
    private void checkStuck(TaskEventsRead read, CheckerSettings settings) {
        long closed = history.closed == null ? read.at() : history.closed.at();
        long recovery = settings.recoveryTime().toNanos();
        if (history.isCalm(closed - recovery, closed, recovery)) {
            findings.checked(CheckerRule.EVENTS);
            findings.violated(
                    CheckerRule.EVENTS,
                    read.at(),
                    "The events of " + read.stuck() + " partitions were not published after the end of the load");
        } else {
            findings.notChecked(CheckerRule.EVENTS, "not all events had been published when the trial ended");
        }
    }

    /** A task that succeeded by an event was run to its end, or was the duplicate of another one; one that is dead has failed. */
    private void checkTrue(TaskEventCame event) {
        TaskHistory task = history.tasks.get(event.id());
        if (task == null) {
            return;
        }
        boolean isTrue = switch (event.kind()) {
            case SUCCEEDED -> event.duplicateOf() != null || task.succeeded();
            case DEAD ->
                dead.contains(task.id)
                        || task.runs.stream().anyMatch(HandlerRun::isFinal)
                        || !history.writeLosses.isEmpty();
            default -> true;
        };
        findings.checked(CheckerRule.EVENTS);
        if (!isTrue) {
            findings.violated(
                    CheckerRule.EVENTS,
                    event.at(),
                    "An event tells what did not happen: " + event + ". The runs of the task: " + task.describeRuns());
        }
    }

    private void checkTask(TaskHistory task) {
        String kind = endOf(task);
        if (task.published == null || kind == null) {
            return;
        }
        findings.checked(CheckerRule.EVENTS);
        boolean told = byTask.getOrDefault(task.id, List.of()).stream()
                .anyMatch(event -> event.kind().equals(kind));
        if (!told && !mayBeForgotten(task)) {
            findings.violated(
                    CheckerRule.EVENTS,
                    task.firstEnd() == Period.NEVER ? 0 : task.firstEnd(),
                    task.describe() + " ended as " + kind + ", but no event told that. Events of it: "
                            + byTask.getOrDefault(task.id, List.of()) + ". Its runs: " + task.describeRuns());
        }
    }

    /** Returns how a task ended; null if it has not, or nobody knows. */
    private @Nullable String endOf(TaskHistory task) {
        if (task.keptEnd != null) {
            return task.keptEnd.kind();
        } else if (dead.contains(task.id)) {
            return DEAD;
        } else if (held.contains(task.id)) {
            return null;
        }
        return task.succeeded() || history.isDuplicate(task) ? SUCCEEDED : null;
    }

    /** Returns whether the store may have lost an outcome, and its event with it. */
    private boolean mayBeForgotten(TaskHistory task) {
        if (history.writeLosses.isEmpty()) {
            return false;
        }
        return task.runs.stream().noneMatch(HandlerRun::isFinal)
                ? history.mayHaveEndedUnseen(task)
                : task.runs.stream()
                        .filter(HandlerRun::isFinal)
                        .anyMatch(run -> history.mayHaveLostWrites(run.end - settleTime, recordedBy(run.end)));
    }

    /** Returns when an outcome has certainly been recorded. */
    private long recordedBy(long end) {
        return history.outages.stream()
                        .filter(outage -> outage.server() == Server.STORE
                                && outage.from() <= end + settleTime
                                && outage.to() >= end)
                        .mapToLong(outage -> outage.to() == Period.NEVER ? Period.NEVER - settleTime : outage.to())
                        .max()
                        .orElse(end)
                + settleTime;
    }

    /** Events of a key come as they were recorded, which is as the runs of its tasks ended. */
    private void checkOrder() {
        Map<String, TaskEventCame> latest = new HashMap<>();
        for (TaskEventCame event : first) {
            if (event.key() == null) {
                continue;
            }
            TaskEventCame before = latest.put(event.key(), event);
            if (before == null || straddlesLoss(before, event)) {
                continue;
            }
            findings.checked(CheckerRule.EVENTS);
            boolean inOrder = !before.partition().equals(event.partition()) || before.sequence() < event.sequence();
            if (!inOrder || isEarlier(event, before)) {
                findings.violated(
                        CheckerRule.EVENTS,
                        event.at(),
                        "Of key " + event.key() + " an event came behind a later one: " + event + " behind " + before);
            }
        }
    }

    /** Returns whether numbers may have been used again between two events, since the store forgot the first ones. */
    private boolean straddlesLoss(TaskEventCame before, TaskEventCame event) {
        return history.writeLosses.stream().anyMatch(loss -> before.at() <= loss.at() && event.at() >= loss.since());
    }

    /** Returns whether the only run of one task ended before the only run of the other began. */
    private boolean isEarlier(TaskEventCame one, TaskEventCame other) {
        HandlerRun run = onlyRun(one);
        HandlerRun otherRun = onlyRun(other);
        return run != null && otherRun != null && run.end < otherRun.start;
    }

    private @Nullable HandlerRun onlyRun(TaskEventCame event) {
        TaskHistory task = history.tasks.get(event.id());
        return task == null || task.runs.size() != 1 || !task.runs.get(0).isFinal() ? null : task.runs.get(0);
    }
}
