package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Guarantees 3 and 4: exclusion, leased starts and tokens of each key, or of each task in a queue without order. */
final class ClaimCheck {

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;

    private ClaimCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        ClaimCheck check = new ClaimCheck(history, settings, findings);
        Map<String, List<HandlerRun>> runs = new LinkedHashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            runs.computeIfAbsent(task.exclusionUnit(settings.ordered()), unit -> new ArrayList<>())
                    .addAll(task.runs);
        }
        runs.forEach((unit, all) -> {
            all.sort(Comparator.comparingLong(run -> run.start));
            check.checkRuns(unit, all);
        });
    }

    private void checkRuns(String unit, List<HandlerRun> runs) {
        HandlerRun longestValid = null;
        HandlerRun highestToken = null;
        for (HandlerRun run : runs) {
            checkLease(unit, run);
            if (run.isStale()) {
                continue;
            }
            checkExclusion(unit, longestValid, run);
            if (longestValid == null || run.validUntil() > longestValid.validUntil()) {
                longestValid = run;
            }
            checkToken(unit, highestToken, run);
            if (highestToken == null || run.token > highestToken.token) {
                highestToken = run;
            }
        }
    }

    private void checkLease(String unit, HandlerRun run) {
        findings.checked(CheckerRule.LEASED_START);
        // A process that stands still between checking its lease and starting the handler cannot notice its end.
        boolean frozen = history.process(run.process).wasFrozenAt(run.leaseAtStart)
                || history.machine.stalled(run.process, run.leaseAtStart, run.start);
        if (run.startedLate(settings.lease().toNanos()) && !frozen) {
            findings.violated(
                    CheckerRule.LEASED_START,
                    run.start,
                    "For " + unit + " a handler started " + millis(run.start - run.leaseAtStart)
                            + " ms after the lease of its claim had ended: " + run);
        }
    }

    private void checkExclusion(String unit, @Nullable HandlerRun earlier, HandlerRun run) {
        if (earlier == null) {
            return;
        }
        findings.checked(CheckerRule.EXCLUSION);
        if (run.start < earlier.validUntil() && !redeliveredUnnoticed(earlier, run)) {
            findings.violated(
                    CheckerRule.EXCLUSION,
                    run.start,
                    "For " + unit + " two claims were valid at once for " + millis(earlier.validUntil() - run.start)
                            + " ms: " + earlier + " with a lease until " + earlier.leaseUntil + ", and " + run);
        }
    }

    private void checkToken(String unit, @Nullable HandlerRun highest, HandlerRun run) {
        if (highest == null) {
            return;
        }
        findings.checked(CheckerRule.TOKENS);
        if (run.token <= highest.token && !redeliveredUnnoticed(highest, run)) {
            findings.violated(
                    CheckerRule.TOKENS,
                    run.start,
                    "For " + unit + " a later start has a token that is not higher: " + highest + ", then " + run);
        }
    }

    /**
     * Returns whether the broker may have redelivered a message to another executor without the first one noticing.
     * This is allowed in queues without order.
     */
    private boolean redeliveredUnnoticed(HandlerRun one, HandlerRun other) {
        if (settings.ordered() || settings.log() || one.process.equals(other.process)) {
            return false;
        }
        long from = Math.min(one.start, other.start) - settings.lease().toNanos();
        long to = Math.max(one.start, other.start);
        return couldNotReachBroker(one.process, from, to) || couldNotReachBroker(other.process, from, to);
    }

    private boolean couldNotReachBroker(String name, long from, long to) {
        ProcessHistory process = history.process(name);
        return process.wasFrozenWithin(from, to)
                || process.wasCutOffWithin(Server.BROKER, from, to)
                || history.wasDown(Server.BROKER, from, to);
    }

    static long millis(long nanos) {
        return nanos / 1_000_000;
    }
}
