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
    public static Judgement judge(List<Event> events, Bounds bounds) {
        History history = new History(events);
        Sheet sheet = new Sheet();
        Ends ends = new Ends(history, bounds, sheet);
        ends.judge();
        Commits.judge(history, bounds, sheet);
        Keys.judge(history, bounds, sheet);
        Epochs.judge(history, sheet);
        Repeats repeats = new Repeats(history, bounds, sheet);
        repeats.judge();
        Waits waits = new Waits(history, bounds, sheet);
        waits.judge();
        Rounds rounds = new Rounds(history, sheet);
        rounds.judge();
        Figures figures = new Figures(
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
