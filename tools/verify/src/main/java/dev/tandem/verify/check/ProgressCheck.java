package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Published;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Guarantee 6: how long tasks wait whose keys nothing is wrong with, and how far the commit is behind. */
final class ProgressCheck {

    /** Fewer say nothing of a p99. */
    private static final int ENOUGH = 100;

    /** After a process was kept from working, it has to catch up. */
    private static final long CATCH_UP = 1_000_000_000L;

    /** A task passes so many steps of that kind from its publishing to its start. */
    private static final int SLACK = 50;

    private final History history;
    private final CheckerSettings bounds;
    private final Findings sheet;
    long longest;
    long p99 = -1;
    long lag = -1;

    ProgressCheck(History history, CheckerSettings bounds, Findings sheet) {
        this.history = history;
        this.bounds = bounds;
        this.sheet = sheet;
    }

    void judge() {
        Set<String> stuck = stuckKeys();
        long begin = firstWork() + bounds.settling().toNanos();
        List<Long> waits = new ArrayList<>();
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published == null || published.dueAt() != 0 || published.sentAt() < begin) {
                continue;
            }
            if (stuck.contains(unit(task)) || task.firstStart() == HandlerRun.NEVER) {
                continue;
            }
            long wait = Math.max(0, task.firstStart() - published.sentAt());
            if (calm(published.sentAt(), task.firstStart())) {
                waits.add(wait);
            } else if (!history.calm(published.sentAt(), bounds.lease().toNanos())) {
                longest = Math.max(longest, wait);
            }
        }
        Collections.sort(waits);
        long slack = SLACK * quickRun();
        if (stuck.isEmpty()) {
            sheet.omit(CheckerRule.INDEPENDENCE, "no key was stuck");
            sheet.omit(CheckerRule.COMMIT_LAG, "no key was stuck");
        }
        if (waits.size() < ENOUGH) {
            sheet.omit(
                    CheckerRule.INDEPENDENCE,
                    "too few tasks started while nothing was wrong and the machine not too busy");
        } else {
            p99 = waits.get((int) Math.ceil(waits.size() * 0.99) - 1);
            waits.forEach(wait -> sheet.looked(CheckerRule.INDEPENDENCE));
            long most = bounds.patience().toNanos() + slack;
            if (p99 > most) {
                sheet.broken(
                        CheckerRule.INDEPENDENCE,
                        0,
                        "with nothing wrong but stuck keys, the p99 of other keys' waits is " + OrderCheck.millis(p99)
                                + " ms, more than " + OrderCheck.millis(most));
            }
        }
        lag(slack);
    }

    /** Keys of which a run did not succeed or took long: what is behind it waits by right. */
    private Set<String> stuckKeys() {
        Set<String> stuck = new HashSet<>();
        for (TaskHistory task : history.tasks.values()) {
            boolean never = task.published != null && task.runs.isEmpty();
            boolean bad = task.runs.stream()
                    .anyMatch(run -> run.ending == Ending.FAILED
                            || run.ending == Ending.DEAD
                            || run.end - run.start > bounds.patience().toNanos() / 2);
            if (never || bad) {
                stuck.add(unit(task));
            }
        }
        return stuck;
    }

    private String unit(TaskHistory task) {
        String key = task.key();
        return bounds.ordered() && key != null ? "key " + key : "task " + task.id;
    }

    /** Before it, tasks waited for the start of the executors. */
    private long firstWork() {
        Map<String, Long> first = new HashMap<>();
        history.runs.forEach(run -> first.merge(run.process, run.start, Math::min));
        long settled = history.runs.stream().mapToLong(run -> run.start).min().orElse(0);
        long firstFault = history.rounds.isEmpty()
                ? HandlerRun.NEVER
                : history.rounds.get(0).began();
        for (long each : first.values()) {
            if (each < firstFault) {
                settled = Math.max(settled, each);
            }
        }
        return settled;
    }

    private boolean calm(long from, long to) {
        return history.calm(from, bounds.calmAfter().toNanos())
                && history.calm(to, bounds.calmAfter().toNanos())
                && history.stalls.stream().noneMatch(each -> from <= each.at() + CATCH_UP && to >= each.since());
    }

    /**
     * What the machine makes of a handler that has next to nothing to do: where that takes long, all else takes longer. The
     * upper quartile, so that handlers that are meant to take long do not count.
     */
    private long quickRun() {
        long[] lasted = history.runs.stream()
                .filter(run -> run.succeeded()
                        && history.calm(run.start, bounds.calmAfter().toNanos()))
                .mapToLong(run -> run.end - run.start)
                .sorted()
                .toArray();
        return lasted.length == 0 ? 0 : lasted[lasted.length * 3 / 4];
    }

    private void lag(long slack) {
        if (!bounds.log()) {
            sheet.omit(CheckerRule.COMMIT_LAG, "the broker keeps no offsets");
            return;
        }
        Map<Integer, TreeMap<Long, Published>> logs = new HashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published != null && published.partition() >= 0) {
                logs.computeIfAbsent(published.partition(), p -> new TreeMap<>())
                        .put(published.sequence(), published);
            }
        }
        long begin = firstWork() + bounds.lag().toNanos();
        for (Audit audit : history.audits) {
            if (audit.at() < begin
                    || !history.calm(audit.at(), bounds.calmAfter().toNanos())) {
                continue;
            }
            for (int partition = 0; partition < audit.committed().size(); partition++) {
                var next = logs.getOrDefault(partition, new TreeMap<>())
                        .ceilingEntry(audit.committed().get(partition));
                sheet.looked(CheckerRule.COMMIT_LAG);
                long age = next == null || next.getValue().at() > audit.at()
                        ? 0
                        : audit.at() - next.getValue().at();
                lag = Math.max(lag, age);
                if (next != null && age > bounds.lag().toNanos() + slack) {
                    sheet.broken(
                            CheckerRule.COMMIT_LAG,
                            audit.at(),
                            "with nothing wrong but stuck keys, "
                                    + next.getValue().id() + " at " + partition + ":" + next.getKey()
                                    + " was uncommitted for " + OrderCheck.millis(age) + " ms");
                }
            }
        }
    }
}
