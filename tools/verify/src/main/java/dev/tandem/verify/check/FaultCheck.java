package dev.tandem.verify.check;

import dev.tandem.verify.check.History.FaultRound;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks whether the faults had an effect, and measures how long recovery took. */
final class FaultCheck {

    /** The time before a fault in which there must be something to hit. */
    private static final long BEFORE_FAULT = 5_000_000_000L;

    private final History history;
    private final Findings findings;
    final List<Long> recoveries = new ArrayList<>();
    long effectiveRounds;

    FaultCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    void check() {
        // Each part of a combined fault must have an effect; otherwise the combination was not tested.
        Map<String, Boolean> hadEffect = new TreeMap<>();
        for (FaultRound round : history.rounds) {
            findings.checked(CheckerRule.NOT_VACUOUS);
            boolean effective = hadEffect(round);
            effectiveRounds += effective ? 1 : 0;
            hadEffect.merge(round.fault(), effective, Boolean::logicalOr);
            measureRecovery(round);
        }
        hadEffect.forEach((fault, effective) -> {
            List<FaultRound> rounds = history.rounds.stream()
                    .filter(round -> round.fault().equals(fault))
                    .toList();
            if (!effective && rounds.stream().anyMatch(this::wasBusy)) {
                findings.notChecked(CheckerRule.NOT_VACUOUS, "the machine was too busy for a fault to hit something");
            } else if (!effective) {
                findings.violated(
                        CheckerRule.NOT_VACUOUS,
                        rounds.get(0).began(),
                        "The trial proves nothing about the fault '" + fault + "': none of its " + rounds.size()
                                + " rounds had an effect");
            }
        });
    }

    /** Returns whether executors may have had nothing to be hit because the machine kept them from their work. */
    private boolean wasBusy(FaultRound round) {
        return history.machine.stalled(round.began() - BEFORE_FAULT, round.ended());
    }

    private boolean hadEffect(FaultRound round) {
        if (round.hits() >= 0) {
            return round.hits() > 0 || lostAnOutcome(round);
        }
        if (!round.targets().isEmpty()) {
            return hitARun(round);
        }
        boolean duringRun = history.runs.stream().anyMatch(run -> run.isActiveAt(round.began()));
        boolean duringPublish = history.tasks.values().stream()
                .anyMatch(task -> task.published != null
                        && task.published.sentAt() >= round.began()
                        && task.published.sentAt() <= round.ended());
        return duringRun || duringPublish;
    }

    /** Returns whether a target had a run that was active when the fault began, or started in its first half. */
    private boolean hitARun(FaultRound round) {
        long latestStart =
                round.ended() == Period.NEVER ? Period.NEVER : round.began() + (round.ended() - round.began()) / 2;
        return history.runs.stream()
                .anyMatch(run -> round.targets().contains(run.process)
                        && run.start <= latestStart
                        && run.end > round.began()
                        && run.processEnd >= round.began());
    }

    /** Returns whether the store lost an outcome. The fault itself may have counted it too late. */
    private boolean lostAnOutcome(FaultRound round) {
        return history.writeLosses.stream()
                .filter(loss -> loss.at() >= round.began() && loss.at() <= round.ended())
                .anyMatch(loss -> {
                    long down = history.outages.stream()
                            .filter(outage -> outage.server() == Server.STORE && outage.from() >= loss.since())
                            .mapToLong(History.Outage::from)
                            .min()
                            .orElse(loss.since());
                    return history.runs.stream().anyMatch(run -> run.end > loss.since() && run.end < down);
                });
    }

    private void measureRecovery(FaultRound round) {
        if (!round.targets().isEmpty()) {
            history.runs.stream()
                    .filter(run -> round.targets().contains(run.process) && run.isActiveAt(round.began()))
                    .forEach(run -> measureRecovery(round, run));
        } else if (round.ended() != Period.NEVER) {
            history.runs.stream()
                    .mapToLong(run -> run.start)
                    .filter(start -> start >= round.ended())
                    .min()
                    .ifPresent(start -> recoveries.add(start - round.ended()));
        }
    }

    /** Measures when the task of a run that was cut off ran again. A run that ended by itself needs no recovery. */
    private void measureRecovery(FaultRound round, HandlerRun cutOff) {
        TaskHistory task = history.tasks.get(cutOff.id);
        if (task == null) {
            return;
        }
        task.runs.stream()
                .mapToLong(run -> run.start)
                // A start after the run's end is a retry or a duplicate.
                .filter(start -> start > cutOff.start && start >= round.began() && start < cutOff.end)
                .min()
                .ifPresent(start -> recoveries.add(start - round.began()));
    }
}
