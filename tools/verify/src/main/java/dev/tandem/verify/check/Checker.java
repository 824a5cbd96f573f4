package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import java.util.List;

/** Judges what was recorded of one trial. Pure: the same events, the same judgement. */
public final class Checker {

    private Checker() {}

    /**
     * Judges a trial.
     *
     * @param events of all its processes, in any order
     */
    public static Judgement judge(List<Event> events, CheckerSettings bounds) {
        History history = new History(events);
        Findings sheet = new Findings();
        CompletionCheck ends = new CompletionCheck(history, bounds, sheet);
        ends.judge();
        CustodyCheck.judge(history, bounds, sheet);
        OrderCheck.judge(history, bounds, sheet);
        EpochCheck.judge(history, sheet);
        DuplicateCheck repeats = new DuplicateCheck(history, bounds, sheet);
        repeats.judge();
        ProgressCheck waits = new ProgressCheck(history, bounds, sheet);
        waits.judge();
        FaultCheck rounds = new FaultCheck(history, sheet);
        rounds.judge();
        TrialStatistics figures = new TrialStatistics(
                history.tasks.values().stream()
                        .filter(task -> task.published != null)
                        .count(),
                history.unsure.size(),
                history.runs.size(),
                ends.succeeded,
                ends.dead,
                ends.resting,
                repeats.interrupted,
                repeats.duplicates,
                history.rounds.size(),
                rounds.hits,
                rounds.recoveries,
                waits.longest,
                waits.p99,
                waits.lag);
        return new Judgement(sheet.verdicts(), sheet.violations(), figures);
    }
}
