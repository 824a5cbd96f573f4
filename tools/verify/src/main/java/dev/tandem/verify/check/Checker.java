package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import java.util.List;

/** Checks the recorded history of one trial against all rules. The same events always give the same judgement. */
public final class Checker {

    private Checker() {}

    /**
     * Judges a trial.
     *
     * @param events events of all its processes, in any order
     */
    public static Judgement judge(List<Event> events, CheckerSettings settings) {
        History history = History.of(events);
        Findings findings = new Findings();
        CompletionCheck completion = new CompletionCheck(history, settings, findings);
        completion.check();
        CustodyCheck.check(history, settings, findings);
        ClaimCheck.check(history, settings, findings);
        OrderCheck.check(history, settings, findings);
        EpochCheck.check(history, findings);
        DuplicateCheck duplicates = new DuplicateCheck(history, settings, findings);
        duplicates.check();
        FeatureCheck.check(history, settings, findings);
        EndCheck.check(history, settings, findings);
        RateCheck.check(history, findings);
        ReplacementCheck.check(history, settings, findings);
        CheckpointCheck.check(history, findings);
        EventCheck.check(history, settings, findings);
        ScheduleCheck.check(history, settings, findings);
        FanOutCheck.check(history, findings);
        ProgressCheck progress = new ProgressCheck(history, settings, findings);
        progress.check();
        FaultCheck faults = new FaultCheck(history, findings);
        faults.check();
        TrialStatistics statistics = new TrialStatistics(
                history.tasks.values().stream()
                        .filter(task -> task.published != null)
                        .count(),
                history.unacknowledged.size(),
                history.runs.size(),
                completion.succeeded,
                completion.dead,
                completion.held,
                duplicates.interrupted,
                duplicates.byExplanation,
                history.rounds.size(),
                faults.effectiveRounds,
                faults.recoveries,
                progress.longestWait,
                progress.waitP99,
                progress.commitLag);
        return new Judgement(findings.verdicts(), findings.all(), statistics);
    }
}
