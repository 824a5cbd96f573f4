package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Acquired;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Guarantee 4 across owners. Epochs and tokens share one sequence: the tokens of an owner are above its epoch and below
 * that of every later owner. Once the store has told a later owner, a former one gets no claims.
 */
final class EpochCheck {

    private final History history;
    private final Findings findings;
    private final Map<Integer, List<Acquired>> owners = new HashMap<>();

    private EpochCheck(History history, Findings findings) {
        this.history = history;
        this.findings = findings;
    }

    static void check(History history, Findings findings) {
        EpochCheck check = new EpochCheck(history, findings);
        history.ownerships.forEach(check::checkUnique);
        history.runs.stream().filter(run -> run.epoch != 0).forEach(check::checkRun);
    }

    private void checkUnique(Acquired acquired) {
        List<Acquired> earlier = owners.computeIfAbsent(acquired.partition(), partition -> new ArrayList<>());
        for (Acquired other : earlier) {
            if (other.epoch() == acquired.epoch()) {
                findings.violated(
                        CheckerRule.EPOCHS,
                        acquired.at(),
                        "Epoch " + acquired.epoch() + " of partition " + acquired.partition() + " was given twice: to "
                                + other.process() + " and then to " + acquired.process());
            }
        }
        earlier.add(acquired);
    }

    private void checkRun(HandlerRun run) {
        findings.checked(CheckerRule.EPOCHS);
        if (run.token <= run.epoch) {
            findings.violated(
                    CheckerRule.EPOCHS, run.start, "A token is not above its epoch " + run.epoch + ": " + run);
        }
        for (Acquired later : owners.getOrDefault(run.partition, List.of())) {
            if (later.epoch() <= run.epoch) {
                continue;
            }
            if (run.token >= later.epoch()) {
                findings.violated(
                        CheckerRule.EPOCHS,
                        run.start,
                        "A token of epoch " + run.epoch + " is not below the later epoch " + later.epoch() + " of "
                                + later.process() + ": " + run);
            } else if (run.claimed > later.at() && !wasForgotten(later)) {
                findings.violated(
                        CheckerRule.EPOCHS,
                        run.start,
                        "A former owner got a claim: it was requested under epoch " + run.epoch + " of partition "
                                + run.partition + ", " + ClaimCheck.millis(run.claimed - later.at()) + " ms after "
                                + later.process() + " had acquired epoch " + later.epoch() + ": " + run);
            }
        }
    }

    /** Returns whether the store may have forgotten this epoch, so that the former owner's was the latest again. */
    private boolean wasForgotten(Acquired acquired) {
        return history.writeLosses.stream()
                .anyMatch(loss -> loss.since() <= acquired.at() && acquired.at() <= loss.at());
    }
}
