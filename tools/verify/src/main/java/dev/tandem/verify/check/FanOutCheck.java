package dev.tandem.verify.check;

import dev.tandem.verify.load.FanTasks;
import dev.tandem.verify.record.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What fan-outs promise. The ids of the tasks say what belongs together, see {@link FanTasks}. */
final class FanOutCheck {

    /** What was told earlier is durable, so nobody tells it again. */
    private static final long HORIZON_MILLIS = 3_000;

    /** For how long after a loss of writes a process may still have to tell again what it had told before. */
    private static final long TELLS_AGAIN_NANOS = 10_000_000_000L;

    private final History history;
    private final Findings findings;
    /** The groups of which something may be lost for good. They are not judged. */
    private final Set<String> forgotten = new HashSet<>();

    private FanOutCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, Findings findings) {
        FanOutCheck check = new FanOutCheck(history, findings);
        Map<String, List<TaskHistory>> finals = new HashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            String group = FanTasks.groupOfFinal(task.id);
            if (group != null) {
                finals.computeIfAbsent(group, none -> new ArrayList<>()).add(task);
            }
        }
        for (TaskHistory task : history.tasks.values()) {
            String group = FanTasks.groupOfMaster(task.id);
            if (group != null && task.published != null) {
                check.checkGroup(task, group, finals.getOrDefault(group, List.of()));
            }
        }
        history.fanOutResults.forEach(check::checkResult);
    }

    private void checkGroup(TaskHistory master, String group, List<TaskHistory> finals) {
        if (mayBeLost(master, group, finals)) {
            forgotten.add(group);
            return;
        }
        List<TaskHistory> started = finals.stream()
                .filter(task -> task.firstStart() != Period.NEVER)
                .sorted(Comparator.comparingLong(TaskHistory::firstStart))
                .toList();
        if (started.isEmpty()) {
            if (history.finalAudit() != null && master.succeeded() && !history.wasBusyAtTheEnd()) {
                findings.checked(CheckerRule.FAN_OUTS);
                violated(master.firstEnd(), "The final task of " + master.describe() + " never came");
            }
            return;
        }
        findings.checked(CheckerRule.FAN_OUTS);
        if (started.size() > 1) {
            violated(
                    started.get(1).firstStart(),
                    "Two final tasks of " + master.id + " ran: "
                            + started.get(0).describeRuns() + " and "
                            + started.get(1).describeRuns());
        }
        long start = started.get(0).firstStart();
        FanTasks.subtasks(group).forEach(subtask -> checkSubtask(subtask, start));
    }

    /** Returns whether the store may have lost something that nobody tells it again. */
    private boolean mayBeLost(TaskHistory master, String group, List<TaskHistory> finals) {
        List<HandlerRun> runs = new ArrayList<>(master.runs);
        finals.forEach(each -> runs.addAll(each.runs));
        FanTasks.subtasks(group).stream()
                .map(history.subtasks::get)
                .filter(Objects::nonNull)
                .forEach(each -> runs.addAll(each.runs));
        long began = runs.stream().mapToLong(run -> run.start).min().orElse(Period.NEVER);
        return history.writeLosses.stream()
                .filter(loss -> began <= loss.at())
                .anyMatch(loss -> history.lostMillis(loss) > HORIZON_MILLIS
                        || runs.stream().anyMatch(run -> endedWithWhatItTold(run, loss)));
    }

    /** Returns whether the process of a run was gone before it can have told again what the store had lost. */
    private static boolean endedWithWhatItTold(HandlerRun run, Event.WritesLost loss) {
        return run.processEnd >= loss.since() && run.processEnd <= loss.at() + TELLS_AGAIN_NANOS;
    }

    private void checkSubtask(String id, long finalStart) {
        TaskHistory subtask = history.subtasks.getOrDefault(id, new TaskHistory(id));
        boolean ended = subtask.runs.stream().anyMatch(run -> run.isFinal() && run.end <= finalStart);
        if (!ended) {
            violated(
                    finalStart,
                    "The final task started before subtask " + id + " had ended. Its runs: " + subtask.describeRuns());
        }
        if (subtask.runs.stream().anyMatch(run -> run.isFinal() && run.succeeded() == FanTasks.dies(id))) {
            violated(
                    finalStart,
                    "Subtask " + id + " did not end as it was told to. Its runs: " + subtask.describeRuns());
        }
    }

    private void checkResult(Event.FanOutResulted result) {
        String group = FanTasks.groupOfFinal(result.id());
        if (group != null && forgotten.contains(group)) {
            return;
        }
        long failed = group == null ? 0 : FanTasks.dying(group);
        findings.checked(CheckerRule.FAN_OUTS);
        if (!result.state().equals("COMPLETED")
                || result.subtasks() != FanTasks.SUBTASKS
                || result.failed() != failed
                || result.succeeded() != FanTasks.SUBTASKS - failed
                || result.cancelled() != 0) {
            violated(
                    result.at(),
                    "The result of a fan-out should be COMPLETED with " + FanTasks.SUBTASKS + " subtasks, of which "
                            + failed + " failed, but is " + result);
        }
    }

    private void violated(long at, String what) {
        findings.violated(CheckerRule.FAN_OUTS, at, what);
    }
}
