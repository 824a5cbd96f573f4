package dev.tandem.verify.check;

import dev.tandem.verify.check.History.Round;
import dev.tandem.verify.record.Event.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whether the faults hit something, and how long it took to recover. */
final class FaultCheck {

    private final History history;
    private final Findings sheet;
    final List<Long> recoveries = new ArrayList<>();
    long hits;

    FaultCheck(History history, Findings sheet) {
        this.history = history;
        this.sheet = sheet;
    }

    void judge() {
        // Of faults that are combined each must hit, or the combination was not tried.
        Map<String, Boolean> hitBy = new TreeMap<>();
        for (Round round : history.rounds) {
            sheet.looked(CheckerRule.NOT_VACUOUS);
            boolean hit = hit(round);
            hits += hit ? 1 : 0;
            hitBy.merge(round.fault(), hit, Boolean::logicalOr);
            if (round.targets().isEmpty()) {
                if (round.ended() != HandlerRun.NEVER) {
                    history.runs.stream()
                            .mapToLong(run -> run.start)
                            .filter(start -> start >= round.ended())
                            .min()
                            .ifPresent(start -> recoveries.add(start - round.ended()));
                }
            } else {
                cutOff(round).forEach(run -> recovered(round, run));
            }
        }
        hitBy.forEach((fault, hit) -> {
            if (!hit) {
                List<Round> rounds = history.rounds.stream()
                        .filter(round -> round.fault().equals(fault))
                        .toList();
                sheet.broken(
                        CheckerRule.NOT_VACUOUS,
                        rounds.get(0).began(),
                        "none of " + rounds.size() + " rounds of '" + fault + "' hit anything");
            }
        });
    }

    private boolean hit(Round round) {
        if (round.hits() >= 0) {
            return round.hits() > 0 || forgetsAnEnd(round);
        }
        if (!round.targets().isEmpty()) {
            // Under way when it struck, or begun while it lasted, and not just at its end.
            long most = round.ended() == HandlerRun.NEVER
                    ? HandlerRun.NEVER
                    : round.began() + (round.ended() - round.began()) / 2;
            return history.runs.stream()
                    .anyMatch(run -> round.targets().contains(run.process)
                            && run.start <= most
                            && run.end > round.began()
                            && run.death >= round.began());
        }
        boolean underWay = history.runs.stream().anyMatch(run -> run.open(round.began()));
        boolean published = history.tasks.values().stream()
                .anyMatch(task -> task.published != null
                        && task.published.sentAt() >= round.began()
                        && task.published.sentAt() <= round.ended());
        return underWay || published;
    }

    /** Who strikes counts what ends meanwhile, and hears of it late. */
    private boolean forgetsAnEnd(Round round) {
        return history.forgets.stream()
                .filter(forgot -> forgot.at() >= round.began() && forgot.at() <= round.ended())
                .anyMatch(forgot -> {
                    long down = history.outages.stream()
                            .filter(each -> each.link() == Server.STORE && each.from() >= forgot.since())
                            .mapToLong(History.Outage::from)
                            .min()
                            .orElse(forgot.since());
                    return history.runs.stream().anyMatch(run -> run.end > forgot.since() && run.end < down);
                });
    }

    private List<HandlerRun> cutOff(Round round) {
        return history.runs.stream()
                .filter(run -> round.targets().contains(run.process) && run.open(round.began()))
                .toList();
    }

    /** It ran again, or it went on to its end by itself, which is no recovery. */
    private void recovered(Round round, HandlerRun run) {
        TaskHistory task = history.tasks.get(run.id);
        if (task == null) {
            return;
        }
        task.runs.stream()
                .mapToLong(each -> each.start)
                // What had ended by then failed and was tried again, or is a duplicate: not a recovery.
                .filter(start -> start > run.start && start >= round.began() && start < run.end)
                .min()
                .ifPresent(start -> recoveries.add(start - round.began()));
    }
}
