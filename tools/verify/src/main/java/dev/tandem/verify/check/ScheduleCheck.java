package dev.tandem.verify.check;

import dev.tandem.verify.load.FeatureTasks;
import java.time.Instant;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * What schedules promise: each instant has its task. That its task does not run again without a fault is the rule for all tasks, see
 * {@link DuplicateCheck}.
 */
final class ScheduleCheck {

    /** How long an instant may take to fire: until the claim of a process that died is over, and a little for the rest. */
    private static final long FIRING = TimeUnit.SECONDS.toNanos(20);

    private ScheduleCheck() {}

    static void check(History history, CheckerSettings settings, Findings findings) {
        TreeMap<Instant, TaskHistory> instants = new TreeMap<>();
        history.fired.values().forEach(task -> instants.put(instant(task.id), task));
        TaskHistory previous = null;
        for (TaskHistory task : instants.values()) {
            findings.checked(CheckerRule.SCHEDULES);
            if (previous != null) {
                Instant expected = instant(previous.id).plus(FeatureTasks.SCHEDULE_INTERVAL);
                if (!instant(task.id).equals(expected)) {
                    findings.violated(
                            CheckerRule.SCHEDULES,
                            task.firstStart(),
                            "The instant " + expected + " has not fired, nor any other before " + task.id);
                }
            }
            previous = task;
        }
        long stopped = history.scheduleStopped;
        if (stopped != Period.NEVER
                && history.isCalm(
                        stopped - FIRING, stopped, settings.recoveryTime().toNanos())) {
            long last = previous == null ? Long.MIN_VALUE : previous.firstStart();
            findings.checked(CheckerRule.SCHEDULES);
            if (last < stopped - FIRING) {
                findings.violated(
                        CheckerRule.SCHEDULES,
                        stopped,
                        "No instant has fired since " + (previous == null ? "the beginning" : previous.describeRuns()));
            }
        }
    }

    private static Instant instant(String id) {
        return Instant.parse(id.substring(id.indexOf('@') + 1));
    }
}
