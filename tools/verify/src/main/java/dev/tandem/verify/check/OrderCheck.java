package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Published;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Guarantees 2, 3 and 4: order, exclusion, tokens. Without order they hold for each task by itself. */
final class OrderCheck {

    private final CheckerSettings bounds;
    private final History history;
    private final Findings sheet;

    private OrderCheck(History history, CheckerSettings bounds, Findings sheet) {
        this.history = history;
        this.bounds = bounds;
        this.sheet = sheet;
    }

    static void judge(History history, CheckerSettings bounds, Findings sheet) {
        new OrderCheck(history, bounds, sheet).judge();
    }

    private void judge() {
        Map<String, List<TaskHistory>> byKey = new LinkedHashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            String key = task.key();
            String unit = bounds.ordered() && key != null ? "key " + key : "task " + task.id;
            byKey.computeIfAbsent(unit, name -> new ArrayList<>()).add(task);
        }
        byKey.forEach((name, tasks) -> {
            List<HandlerRun> runs = tasks.stream()
                    .flatMap(task -> task.runs.stream())
                    .sorted(Comparator.comparingLong(run -> run.start))
                    .toList();
            runs(name, runs);
            if (name.startsWith("key ")) {
                order(name, tasks);
            }
        });
        if (!bounds.ordered()) {
            sheet.omit(CheckerRule.ORDER, "the queue has no order");
        }
    }

    private void runs(String name, List<HandlerRun> runs) {
        HandlerRun held = null; // the one whose claim is valid for longest, so far
        HandlerRun highest = null;
        for (HandlerRun run : runs) {
            sheet.looked(CheckerRule.LEASED_START);
            if (run.stale) {
                if (!justThawed(run)) {
                    sheet.broken(
                            CheckerRule.LEASED_START,
                            run.start,
                            name + ": started " + millis(run.start - run.leaseUntil)
                                    + " ms after its claim had lapsed: " + run);
                }
                // Of a process that was frozen between its last look and the start: nothing can prevent that.
                continue;
            }
            if (held != null) {
                sheet.looked(CheckerRule.EXCLUSION);
                if (run.start < held.validUntil() && !takenBackUnnoticed(held, run)) {
                    sheet.broken(
                            CheckerRule.EXCLUSION,
                            run.start,
                            name + ": two valid claims for " + millis(held.validUntil() - run.start) + " ms: " + held
                                    + " with a lease until " + held.leaseUntil + ", and " + run);
                }
            }
            if (held == null || run.validUntil() > held.validUntil()) {
                held = run;
            }
            if (highest != null) {
                sheet.looked(CheckerRule.TOKENS);
                if (run.token <= highest.token && !takenBackUnnoticed(highest, run)) {
                    sheet.broken(
                            CheckerRule.TOKENS,
                            run.start,
                            name + ": the token does not grow from " + highest + " to " + run);
                }
            }
            if (highest == null || run.token > highest.token) {
                highest = run;
            }
        }
    }

    /** A message of a queue without order that its broker gave to another executor while the first could not know. */
    private boolean takenBackUnnoticed(HandlerRun one, HandlerRun other) {
        if (bounds.ordered() || bounds.log() || one.process.equals(other.process)) {
            return false;
        }
        long from = Math.min(one.start, other.start) - bounds.lease().toNanos();
        long to = Math.max(one.start, other.start);
        return troubledWithBroker(one.process, from, to) || troubledWithBroker(other.process, from, to);
    }

    private boolean troubledWithBroker(String process, long from, long to) {
        ProcessHistory life = history.life(process);
        return life.frozenWithin(from, to)
                || life.cutWithin(Server.BROKER, from, to)
                || history.down(Server.BROKER, from, to);
    }

    private boolean justThawed(HandlerRun run) {
        return history.life(run.process).troubles.stream()
                .anyMatch(each -> each.link() == null && each.from() <= run.leaseUntil && each.to() >= run.leaseUntil);
    }

    private void order(String name, List<TaskHistory> tasks) {
        List<TaskHistory> started = tasks.stream()
                .filter(task -> task.firstStart() != HandlerRun.NEVER)
                .sorted(Comparator.comparingLong(TaskHistory::firstStart))
                .toList();
        TaskHistory latest = null; // to end
        long end = Long.MIN_VALUE;
        for (TaskHistory task : started) {
            if (latest != null) {
                sheet.looked(CheckerRule.ORDER);
                if (task.firstStart() < end && !nobodyKnew(latest, task)) {
                    sheet.broken(
                            CheckerRule.ORDER,
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
    private boolean nobodyKnew(TaskHistory begun, TaskHistory other) {
        long by = other.firstStart();
        return (isScheduled(begun) || isScheduled(other))
                && begun.runs.stream().filter(run -> run.start < by).allMatch(run -> isForgotten(run, by));
    }

    private static boolean isScheduled(TaskHistory task) {
        return task.published != null && task.published.dueAt() != 0;
    }

    private boolean isForgotten(HandlerRun run, long by) {
        ProcessHistory life = history.life(run.process);
        return history.forgets.stream()
                .anyMatch(each -> run.start >= each.since()
                        && run.start <= each.at()
                        && each.at() <= by
                        && run.end >= by
                        && (life.killedWithin(run.start, by)
                                || life.frozenWithin(each.since(), by)
                                || life.cutWithin(Server.STORE, each.since(), by)));
    }

    /** It died of being cut off, without an end of its own that could be seen. */
    private boolean cutOffForGood(TaskHistory task) {
        Audit last = history.lastAudit();
        return task.firstEnd() == HandlerRun.NEVER
                && last != null
                && last.dead().contains(task.id);
    }

    /** Of the tasks that were due when they were published, those of a partition start in its order. */
    private void brokersOrder(String name, List<TaskHistory> tasks) {
        Map<Integer, List<TaskHistory>> partitions = new LinkedHashMap<>();
        for (TaskHistory task : tasks) {
            Published published = task.published;
            if (published != null && published.dueAt() == 0) {
                partitions
                        .computeIfAbsent(published.partition(), p -> new ArrayList<>())
                        .add(task);
            }
        }
        for (List<TaskHistory> plain : partitions.values()) {
            plain.sort(Comparator.comparingLong(OrderCheck::sequence));
            TaskHistory latest = null; // to start, of those before
            for (TaskHistory task : plain) {
                if (latest != null) {
                    sheet.looked(CheckerRule.ORDER);
                    if (task.firstStart() != HandlerRun.NEVER && task.firstStart() < latest.firstStart()) {
                        sheet.broken(
                                CheckerRule.ORDER,
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

    private static long sequence(TaskHistory task) {
        Published published = task.published;
        return published == null ? -1 : published.sequence();
    }

    static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}
