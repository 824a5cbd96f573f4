package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Guarantee 5: what ran more than once, and why. */
final class DuplicateCheck {

    private final History history;
    private final CheckerSettings bounds;
    private final Findings sheet;
    /** By what explains them. */
    final Map<String, Long> duplicates = new TreeMap<>();

    long interrupted;

    DuplicateCheck(History history, CheckerSettings bounds, Findings sheet) {
        this.history = history;
        this.bounds = bounds;
        this.sheet = sheet;
    }

    void judge() {
        for (TaskHistory task : history.tasks.values()) {
            List<HandlerRun> runs = task.runs.stream()
                    .sorted(Comparator.comparingLong(run -> run.start))
                    .toList();
            for (int i = 0; i < runs.size(); i++) {
                HandlerRun run = runs.get(i);
                sheet.looked(CheckerRule.DUPLICATES);
                if (i > 0) {
                    repeated(runs.get(i - 1), run);
                }
                attempts(runs.subList(0, i), run);
            }
        }
    }

    private void repeated(HandlerRun before, HandlerRun run) {
        if (before.end <= run.start) {
            if (before.isFinal()) {
                String why = whyUnrecorded(before, run.start);
                if (why == null) {
                    duplicates.merge("unexplained", 1L, Long::sum);
                    sheet.broken(
                            CheckerRule.DUPLICATES,
                            run.start,
                            "it had ended and ran again, and no fault explains it: " + before + ", and then " + run);
                } else {
                    duplicates.merge(why, 1L, Long::sum);
                }
            }
            return;
        }
        interrupted++;
        if (before.death <= run.start || before.leaseUntil <= run.start || run.stale || before.stale) {
            if (whyUnrecorded(before, run.start) == null) {
                sheet.broken(
                        CheckerRule.DUPLICATES,
                        run.start,
                        "it was under way and was started again, and no fault explains it: " + before + ", and then "
                                + run);
            }
        }
        // Else both are valid, and exclusion is broken, which is said there.
    }

    /** What kept the outcome of a run from being recorded, or made the store forget it; null if nothing did. */
    private @Nullable String whyUnrecorded(HandlerRun run, long by) {
        ProcessHistory life = history.life(run.process);
        long slack = bounds.settling().toNanos();
        long from = Math.min(run.end, by) - slack;
        long end = Math.min(run.end, by);
        // While the store is away outcomes wait in memory.
        long until = end + slack;
        for (History.Outage outage : history.outages) {
            if (outage.link() == Server.STORE && outage.from() - slack <= until && outage.to() + slack >= end) {
                until = Math.max(
                        until, outage.to() == HandlerRun.NEVER ? HandlerRun.NEVER - slack : outage.to() + slack);
            }
        }
        for (ProcessHistory.Trouble each : life.troubles) {
            if (each.link() == Server.STORE && each.from() - slack <= until && each.to() >= end) {
                until = Math.max(until, each.to() == HandlerRun.NEVER ? HandlerRun.NEVER - slack : each.to() + slack);
            }
        }
        // A run that was open when its process died or froze was so until then.
        if (life.killedWithin(run.start, run.end == HandlerRun.NEVER ? by : until)) {
            return "killed";
        }
        if (life.frozenWithin(run.end == HandlerRun.NEVER ? run.start : from, until)) {
            return "frozen";
        }
        if (life.cutWithin(Server.STORE, from, until)) {
            return "cut off from the store";
        }
        if (!bounds.log() && !bounds.ordered() && brokerTookItBack(life, run, by)) {
            return "taken back by the broker";
        }
        boolean forgotten =
                history.forgets.stream().anyMatch(each -> run.start <= each.at() && end >= each.since() - slack);
        if (forgotten) {
            return "forgotten by the store";
        }
        if (run.ending == Ending.STOPPED) {
            return "stopped";
        }
        return null;
    }

    private boolean brokerTookItBack(ProcessHistory life, HandlerRun run, long by) {
        long from = run.start - bounds.lease().toNanos();
        return life.cutWithin(Server.BROKER, from, by) || history.down(Server.BROKER, from, by);
    }

    /** Each attempt but the first was made by a run, or by a claim that a fault kept from running. */
    private void attempts(List<HandlerRun> before, HandlerRun run) {
        long spent =
                before.stream().filter(each -> each.ending != Ending.STOPPED).count();
        if (run.attempt == 1 && spent == 0) {
            return;
        }
        sheet.looked(CheckerRule.ATTEMPTS);
        if (run.attempt > 1 + spent && !anyFaultBefore(run.start)) {
            sheet.broken(
                    CheckerRule.ATTEMPTS,
                    run.start,
                    "an attempt was spent without a run, and no fault explains it: " + run + " after " + before);
        }
    }

    private boolean anyFaultBefore(long at) {
        return !history.forgets.isEmpty()
                || history.outages.stream().anyMatch(each -> each.from() <= at)
                || history.lives.values().stream()
                        .anyMatch(life -> (life.killed && life.death <= at)
                                || life.troubles.stream().anyMatch(each -> each.from() <= at));
    }
}
