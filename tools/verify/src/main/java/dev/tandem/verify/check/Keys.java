package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Audited;
import dev.tandem.verify.record.Event.Link;
import dev.tandem.verify.record.Event.Published;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Guarantees 2, 3 and 4: order, exclusion, tokens. Without order they hold for each task by itself. */
final class Keys {

    private final Bounds bounds;
    private final History history;
    private final Sheet sheet;

    private Keys(History history, Bounds bounds, Sheet sheet) {
        this.history = history;
        this.bounds = bounds;
        this.sheet = sheet;
    }

    static void judge(History history, Bounds bounds, Sheet sheet) {
        new Keys(history, bounds, sheet).judge();
    }

    private void judge() {
        Map<String, List<TaskSeen>> byKey = new LinkedHashMap<>();
        for (TaskSeen task : history.tasks.values()) {
            String key = task.key();
            String unit = bounds.ordered() && key != null ? "key " + key : "task " + task.id;
            byKey.computeIfAbsent(unit, name -> new ArrayList<>()).add(task);
        }
        byKey.forEach((name, tasks) -> {
            List<Run> runs = tasks.stream()
                    .flatMap(task -> task.runs.stream())
                    .sorted(Comparator.comparingLong(run -> run.start))
                    .toList();
            runs(name, runs);
            if (name.startsWith("key ")) {
                order(name, tasks);
            }
        });
        if (!bounds.ordered()) {
            sheet.omit(Rule.ORDER, "the queue has no order");
        }
    }

    private void runs(String name, List<Run> runs) {
        Run held = null; // the one whose claim is valid for longest, so far
        Run highest = null;
        for (Run run : runs) {
            sheet.looked(Rule.LEASED_START);
            if (run.stale) {
                if (!justThawed(run)) {
                    sheet.broken(
                            Rule.LEASED_START,
                            run.start,
                            name + ": started " + millis(run.start - run.leaseUntil)
                                    + " ms after its claim had lapsed: " + run);
                }
                // Of a process that was frozen between its last look and the start: nothing can prevent that.
                continue;
            }
            if (held != null) {
                sheet.looked(Rule.EXCLUSION);
                if (run.start < held.validUntil() && !takenBackUnnoticed(held, run)) {
                    sheet.broken(
                            Rule.EXCLUSION,
                            run.start,
                            name + ": two valid claims for " + millis(held.validUntil() - run.start) + " ms: " + held
                                    + " with a lease until " + held.leaseUntil + ", and " + run);
                }
            }
            if (held == null || run.validUntil() > held.validUntil()) {
                held = run;
            }
            if (highest != null) {
                sheet.looked(Rule.TOKENS);
                if (run.token <= highest.token && !takenBackUnnoticed(highest, run)) {
                    sheet.broken(
                            Rule.TOKENS, run.start, name + ": the token does not grow from " + highest + " to " + run);
                }
            }
            if (highest == null || run.token > highest.token) {
                highest = run;
            }
        }
    }

    /** A message of a queue without order that its broker gave to another executor while the first could not know. */
    private boolean takenBackUnnoticed(Run one, Run other) {
        if (bounds.ordered() || bounds.log() || one.process.equals(other.process)) {
            return false;
        }
        long from = Math.min(one.start, other.start) - bounds.lease().toNanos();
        long to = Math.max(one.start, other.start);
        return troubledWithBroker(one.process, from, to) || troubledWithBroker(other.process, from, to);
    }

    private boolean troubledWithBroker(String process, long from, long to) {
        Life life = history.life(process);
        return life.frozenWithin(from, to)
                || life.cutWithin(Link.BROKER, from, to)
                || history.down(Link.BROKER, from, to);
    }

    private boolean justThawed(Run run) {
        return history.life(run.process).troubles.stream()
                .anyMatch(each -> each.link() == null && each.from() <= run.leaseUntil && each.to() >= run.leaseUntil);
    }

    private void order(String name, List<TaskSeen> tasks) {
        List<TaskSeen> started = tasks.stream()
                .filter(task -> task.firstStart() != Run.NEVER)
                .sorted(Comparator.comparingLong(TaskSeen::firstStart))
                .toList();
        TaskSeen latest = null; // to end
        long end = Long.MIN_VALUE;
        for (TaskSeen task : started) {
            if (latest != null) {
                sheet.looked(Rule.ORDER);
                if (task.firstStart() < end && !nobodyKnew(latest, task)) {
                    sheet.broken(
                            Rule.ORDER,
                            task.firstStart(),
                            name + ": " + task.id + " started before " + latest.id + " had ended: " + task.runs
                                    + " and " + latest.runs);
                }
            }
            long ends = task.firstEnd();
            if (ends > end && !cutOffForGood(task)) {
                end = ends;
                latest = task;
            }
        }
        brokersOrder(name, tasks);
    }

    /**
     * That the one had begun, when the other did: the store forgot its claims, and each process that ran it was gone, or out
     * of reach, and could not tell. Only where one of them was scheduled; else the broker's order tells who was first.
     */
    private boolean nobodyKnew(TaskSeen begun, TaskSeen other) {
        long by = other.firstStart();
        return (isScheduled(begun) || isScheduled(other))
                && begun.runs.stream().filter(run -> run.start < by).allMatch(run -> isForgotten(run, by));
    }

    private static boolean isScheduled(TaskSeen task) {
        return task.published != null && task.published.dueAt() != 0;
    }

    private boolean isForgotten(Run run, long by) {
        Life life = history.life(run.process);
        return history.forgets.stream()
                .anyMatch(each -> run.start >= each.since()
                        && run.start <= each.at()
                        && each.at() <= by
                        && run.end >= by
                        && (life.killedWithin(run.start, by)
                                || life.frozenWithin(each.since(), by)
                                || life.cutWithin(Link.STORE, each.since(), by)));
    }

    /** It died of being cut off, without an end of its own that could be seen. */
    private boolean cutOffForGood(TaskSeen task) {
        Audited last = history.lastAudit();
        return task.firstEnd() == Run.NEVER && last != null && last.dead().contains(task.id);
    }

    /** Of the tasks that were due when they were published, those of a partition start in its order. */
    private void brokersOrder(String name, List<TaskSeen> tasks) {
        Map<Integer, List<TaskSeen>> partitions = new LinkedHashMap<>();
        for (TaskSeen task : tasks) {
            Published published = task.published;
            if (published != null && published.dueAt() == 0) {
                partitions
                        .computeIfAbsent(published.partition(), p -> new ArrayList<>())
                        .add(task);
            }
        }
        for (List<TaskSeen> plain : partitions.values()) {
            plain.sort(Comparator.comparingLong(Keys::sequence));
            TaskSeen latest = null; // to start, of those before
            for (TaskSeen task : plain) {
                if (latest != null) {
                    sheet.looked(Rule.ORDER);
                    if (task.firstStart() != Run.NEVER && task.firstStart() < latest.firstStart()) {
                        sheet.broken(
                                Rule.ORDER,
                                task.firstStart(),
                                name + ": " + task.id + " at " + sequence(task) + " started before " + latest.id
                                        + " at " + sequence(latest) + ": " + task.runs + " and " + latest.runs);
                    }
                }
                if (latest == null || task.firstStart() > latest.firstStart()) {
                    latest = task;
                }
            }
        }
    }

    private static long sequence(TaskSeen task) {
        Published published = task.published;
        return published == null ? -1 : published.sequence();
    }

    static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}
