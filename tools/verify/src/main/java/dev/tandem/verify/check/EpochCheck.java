package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Acquired;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Guarantee 4 across owners. Epochs and tokens share one number line: an owner's tokens lie above its epoch, and below that of
 * every later owner. And from the moment on that the store has told a later owner, no claim is given to a former one.
 */
final class EpochCheck {

    private EpochCheck() {}

    static void judge(History history, Findings sheet) {
        Map<Integer, List<Acquired>> owners = new HashMap<>();
        for (Acquired owned : history.ownerships) {
            List<Acquired> all = owners.computeIfAbsent(owned.partition(), partition -> new ArrayList<>());
            for (Acquired other : all) {
                if (other.epoch() == owned.epoch()) {
                    sheet.broken(
                            CheckerRule.EPOCHS,
                            owned.at(),
                            "the epoch " + owned.epoch() + " of partition " + owned.partition() + " was given to "
                                    + other.process() + " and again to " + owned.process());
                }
            }
            all.add(owned);
        }
        for (HandlerRun run : history.runs) {
            if (run.epoch == 0) {
                continue;
            }
            sheet.looked(CheckerRule.EPOCHS);
            if (run.token <= run.epoch) {
                sheet.broken(CheckerRule.EPOCHS, run.start, "the token lies below its epoch " + run.epoch + ": " + run);
            }
            for (Acquired later : owners.getOrDefault(run.partition, List.of())) {
                if (later.epoch() <= run.epoch) {
                    continue;
                }
                if (run.token >= later.epoch()) {
                    sheet.broken(
                            CheckerRule.EPOCHS,
                            run.start,
                            "the token of the epoch " + run.epoch + " reaches into a later one, " + later.epoch()
                                    + " of " + later.process() + ": " + run);
                } else if (run.claimed > later.at() && !forgotten(history, later)) {
                    sheet.broken(
                            CheckerRule.EPOCHS,
                            run.start,
                            "claimed under the epoch " + run.epoch + " of partition " + run.partition + ", "
                                    + OrderCheck.millis(run.claimed - later.at()) + " ms after " + later.process()
                                    + " had a later one: " + run);
                }
            }
        }
    }

    /** The store may have lost that epoch, so that the former owner's was the last again. */
    private static boolean forgotten(History history, Acquired owned) {
        return history.forgets.stream().anyMatch(each -> each.since() <= owned.at() && owned.at() <= each.at());
    }
}
