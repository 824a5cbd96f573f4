package dev.tandem.verify.check;

import dev.tandem.kit.Percentiles;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Published;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Guarantee 6: how long tasks wait whose keys are not stuck, and how far the committed offset is behind. */
final class ProgressCheck {

    /** A p99 of fewer waits means nothing. */
    private static final int MIN_WAITS = 100;

    /** How long a process that was stalled needs to catch up. */
    private static final long CATCH_UP_NANOS = Duration.ofSeconds(1).toNanos();

    /** From publishing to its start a task passes about as many steps that take as long as a quick handler. */
    private static final int STEPS_TO_START = 50;

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;
    long longestWait;
    long waitP99 = -1;
    long commitLag = -1;

    ProgressCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        Set<String> stuck = stuckUnits();
        if (stuck.isEmpty()) {
            findings.notChecked(CheckerRule.INDEPENDENCE, "no key was stuck");
            findings.notChecked(CheckerRule.COMMIT_LAG, "no key was stuck");
        }
        long machineSlack = STEPS_TO_START * quickRun();
        checkWaits(measureWaits(stuck), machineSlack);
        checkCommitLag(machineSlack);
    }

    /** Returns the waits while no fault was active, and notes the longest of the others. */
    private List<Long> measureWaits(Set<String> stuck) {
        long begin = allExecutorsWorkingAt() + settings.settleTime().toNanos();
        List<Long> waits = new ArrayList<>();
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published == null || published.dueAt() != 0 || published.sentAt() < begin) {
                continue;
            }
            if (stuck.contains(task.exclusionUnit(settings.ordered()))
                    || task.firstStart() == Period.NEVER
                    || FeatureTasks.waits(task.id)) {
                continue;
            }
            long wait = Math.max(0, task.firstStart() - published.sentAt());
            if (isCalm(published.sentAt(), task.firstStart())) {
                waits.add(wait);
            } else if (!history.isFaultFree(published.sentAt(), settings.lease().toNanos())) {
                longestWait = Math.max(longestWait, wait);
            }
        }
        return waits;
    }

    private void checkWaits(List<Long> waits, long machineSlack) {
        if (waits.size() < MIN_WAITS) {
            findings.notChecked(
                    CheckerRule.INDEPENDENCE,
                    "too few tasks started while nothing was wrong and the machine not too busy");
            return;
        }
        findings.checked(CheckerRule.INDEPENDENCE, waits.size());
        waitP99 = Percentiles.of(waits).p99();
        long limit = settings.maxWait().toNanos() + machineSlack;
        if (waitP99 > limit) {
            findings.violated(
                    CheckerRule.INDEPENDENCE,
                    0,
                    "Tasks waited for stuck tasks of other keys: without a fault the p99 from publishing to start was "
                            + ClaimCheck.millis(waitP99) + " ms, the limit is " + ClaimCheck.millis(limit) + " ms");
        }
    }

    /**
     * Returns the units with a run that failed or took long, and those that run most of the time. Tasks behind such runs wait by
     * design.
     */
    private Set<String> stuckUnits() {
        Set<String> stuck = busyUnits();
        for (TaskHistory task : history.tasks.values()) {
            boolean neverStarted = task.published != null && task.runs.isEmpty();
            boolean failedOrSlow = task.runs.stream()
                    .anyMatch(run -> run.ending == Ending.FAILED
                            || run.ending == Ending.DEAD
                            || run.end - run.start > settings.maxWait().toNanos() / 2);
            if (neverStarted || failedOrSlow) {
                stuck.add(task.exclusionUnit(settings.ordered()));
            }
        }
        return stuck;
    }

    /** Returns the units that are busy for half of the time between their first task and the end of their last one. */
    private Set<String> busyUnits() {
        Map<String, Long> busy = new HashMap<>();
        Map<String, Long> first = new HashMap<>();
        Map<String, Long> last = new HashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            if (task.published != null) {
                String unit = task.exclusionUnit(settings.ordered());
                first.merge(unit, task.published.sentAt(), Math::min);
                task.runs.stream().filter(run -> run.end != Period.NEVER).forEach(run -> {
                    busy.merge(unit, run.end - run.start, Long::sum);
                    last.merge(unit, run.end, Math::max);
                });
            }
        }
        Set<String> units = new HashSet<>();
        busy.forEach((unit, nanos) -> {
            long span = last.get(unit) - first.get(unit);
            if (span > settings.maxWait().toNanos() && nanos > span / 2) {
                units.add(unit);
            }
        });
        return units;
    }

    /** Returns when the last of the first executors began to work. Before that, tasks wait for their start. */
    private long allExecutorsWorkingAt() {
        Map<String, Long> firstStarts = new HashMap<>();
        history.runs.forEach(run -> firstStarts.merge(run.process, run.start, Math::min));
        long working = history.runs.stream().mapToLong(run -> run.start).min().orElse(0);
        long firstFault =
                history.rounds.isEmpty() ? Period.NEVER : history.rounds.get(0).began();
        for (long start : firstStarts.values()) {
            if (start < firstFault) {
                working = Math.max(working, start);
            }
        }
        return working;
    }

    /** Returns whether neither a fault nor a stalled process affected this time. */
    private boolean isCalm(long from, long to) {
        return isFaultFree(from) && isFaultFree(to) && !history.machine.stalled(from - CATCH_UP_NANOS, to);
    }

    private boolean isFaultFree(long at) {
        return history.isFaultFree(at, settings.recoveryTime().toNanos());
    }

    /**
     * Returns how long this machine takes for a handler that does almost nothing. All else is slower where that is
     * slow. Uses the upper quartile, so that handlers that take long by design do not count.
     */
    private long quickRun() {
        long[] durations = history.runs.stream()
                .filter(run -> run.succeeded() && isFaultFree(run.start))
                .mapToLong(run -> run.end - run.start)
                .sorted()
                .toArray();
        return durations.length == 0 ? 0 : durations[durations.length * 3 / 4];
    }

    private void checkCommitLag(long machineSlack) {
        if (!settings.log()) {
            findings.notChecked(CheckerRule.COMMIT_LAG, "the broker keeps no offsets");
            return;
        }
        if (settings.overflows()) {
            findings.notChecked(CheckerRule.COMMIT_LAG, "records wait in the log by design");
            return;
        }
        Map<Integer, TreeMap<Long, Published>> logs = new HashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published != null && published.partition() >= 0) {
                logs.computeIfAbsent(published.partition(), partition -> new TreeMap<>())
                        .put(published.sequence(), published);
            }
        }
        long begin = allExecutorsWorkingAt() + settings.maxCommitLag().toNanos();
        for (Audit audit : history.audits) {
            long busySince = audit.at() - settings.maxCommitLag().toNanos() - CATCH_UP_NANOS;
            if (audit.at() < begin || !isFaultFree(audit.at()) || history.machine.stalled(busySince, audit.at())) {
                continue;
            }
            for (int partition = 0; partition < audit.committed().size(); partition++) {
                checkCommitLag(audit, partition, logs.getOrDefault(partition, new TreeMap<>()), machineSlack);
            }
        }
    }

    private void checkCommitLag(Audit audit, int partition, TreeMap<Long, Published> log, long machineSlack) {
        findings.checked(CheckerRule.COMMIT_LAG);
        var oldest = log.ceilingEntry(audit.committed().get(partition));
        boolean pending = oldest != null && oldest.getValue().at() <= audit.at();
        long age = pending ? audit.at() - oldest.getValue().at() : 0;
        commitLag = Math.max(commitLag, age);
        if (pending && age > settings.maxCommitLag().toNanos() + machineSlack) {
            findings.violated(
                    CheckerRule.COMMIT_LAG,
                    audit.at(),
                    "The committed offset waited for a stuck task: without any fault task "
                            + oldest.getValue().id() + " at offset " + oldest.getKey() + " of partition " + partition
                            + " was not committed " + ClaimCheck.millis(age) + " ms after it was published");
        }
    }
}
