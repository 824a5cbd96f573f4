package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Guarantee 5: tasks that ran more than once, and what explains it. */
final class DuplicateCheck {

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;
    final Map<String, Long> byExplanation = new TreeMap<>();

    long interrupted;

    DuplicateCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        history.tasks.values().forEach(this::check);
        history.fired.values().forEach(this::check);
    }

    private void check(TaskHistory task) {
        List<HandlerRun> runs = task.runs.stream()
                .sorted(Comparator.comparingLong(run -> run.start))
                .toList();
        for (int i = 0; i < runs.size(); i++) {
            HandlerRun run = runs.get(i);
            findings.checked(CheckerRule.DUPLICATES);
            if (i > 0) {
                checkRepetition(runs.get(i - 1), run);
            }
            checkAttempt(runs.subList(0, i), run);
        }
    }

    private void checkRepetition(HandlerRun earlier, HandlerRun run) {
        if (earlier.end <= run.start) {
            if (earlier.isFinal()) {
                checkDuplicate(earlier, run);
            }
            return;
        }
        interrupted++;
        boolean claimWasOver = earlier.processEnd <= run.start
                || earlier.leaseUntil <= run.start
                || run.isStale()
                || earlier.isStale();
        // If both claims are valid, exclusion is violated, and ClaimCheck reports it.
        if (claimWasOver && explanation(earlier, run.start) == null) {
            findings.violated(
                    CheckerRule.DUPLICATES,
                    run.start,
                    "A task was started again while its run had not ended, and no fault explains it: " + earlier
                            + ", then " + run);
        }
    }

    private void checkDuplicate(HandlerRun earlier, HandlerRun run) {
        String explanation = explanation(earlier, run.start);
        byExplanation.merge(explanation == null ? "unexplained" : explanation, 1L, Long::sum);
        if (explanation == null) {
            findings.violated(
                    CheckerRule.DUPLICATES,
                    run.start,
                    "A task ran again after it had ended, and no fault explains it: " + earlier + ", then " + run);
        }
    }

    /** Returns why the outcome of a run was not recorded, or was forgotten; null if no fault explains it. */
    @Nullable
    String explanation(HandlerRun run, long by) {
        ProcessHistory process = history.process(run.process);
        long end = Math.min(run.end, by);
        long from = end - settings.settleTime().toNanos();
        long until = recordedBy(run.process, end);
        // A run without an end was active until its process died or froze.
        if (process.wasKilledWithin(run.start, run.hasEnded() ? until : by)) {
            return "killed";
        }
        if (process.wasFrozenWithin(run.hasEnded() ? from : run.start, until)) {
            return "frozen";
        }
        if (process.wasCutOffWithin(Server.STORE, from, until)) {
            return "cut off from the store";
        }
        if (!settings.log() && !settings.ordered() && redeliveredByBroker(process, run, by)) {
            return "taken back by the broker";
        }
        if (history.writeLosses.stream().anyMatch(loss -> run.start <= loss.at() && end >= loss.since() - slack())) {
            return "forgotten by the store";
        }
        if (run.ending == Ending.STOPPED) {
            return "stopped";
        }
        return wasHeldUp(run, by) ? "held up by the machine" : null;
    }

    /** Returns whether the machine kept a process from renewing the claim of a run, or from recording its outcome. */
    private boolean wasHeldUp(HandlerRun run, long by) {
        long lease = settings.lease().toNanos();
        long from = Math.max(run.start, Math.min(run.leaseUntil, by) - lease);
        return history.machine.stalledNanos(run.process, from, Math.min(by, from + 2 * lease)) >= lease / 4;
    }

    /** Returns when an outcome has certainly been recorded. It waits in memory while the store cannot be reached. */
    private long recordedBy(String name, long end) {
        ProcessHistory process = history.process(name);
        long slack = slack();
        long until = history.machine.putOff(name, end, end + slack);
        for (History.Outage outage : history.outages) {
            if (outage.server() == Server.STORE && outage.from() - slack <= until && outage.to() + slack >= end) {
                until = Math.max(until, later(outage.to(), slack));
            }
        }
        for (Period cut : process.cutsFrom(Server.STORE)) {
            if (cut.from() - slack <= until && cut.to() >= end) {
                until = Math.max(until, later(cut.to(), slack));
            }
        }
        return until;
    }

    private static long later(long at, long nanos) {
        return at == Period.NEVER ? Period.NEVER - nanos : at + nanos;
    }

    private long slack() {
        return settings.settleTime().toNanos();
    }

    private boolean redeliveredByBroker(ProcessHistory process, HandlerRun run, long by) {
        long from = run.start - settings.lease().toNanos();
        return process.wasCutOffWithin(Server.BROKER, from, by) || history.wasDown(Server.BROKER, from, by);
    }

    /** Each attempt but the first was spent by a run, or by a claim whose run a fault prevented. */
    private void checkAttempt(List<HandlerRun> earlier, HandlerRun run) {
        long spent =
                earlier.stream().filter(each -> each.ending != Ending.STOPPED).count();
        if (run.attempt == 1 && spent == 0) {
            return;
        }
        findings.checked(CheckerRule.ATTEMPTS);
        if (run.attempt > 1 + spent && !hadFaultBefore(run.start)) {
            findings.violated(
                    CheckerRule.ATTEMPTS,
                    run.start,
                    "An attempt was spent without a run, and no fault explains it: " + run + " after " + earlier);
        }
    }

    private boolean hadFaultBefore(long at) {
        return !history.writeLosses.isEmpty()
                || history.outages.stream().anyMatch(outage -> outage.from() <= at)
                || history.machine.wasBusy(at - 2 * settings.lease().toNanos(), at)
                || history.processes.values().stream().anyMatch(process -> process.wasHitBy(at));
    }
}
