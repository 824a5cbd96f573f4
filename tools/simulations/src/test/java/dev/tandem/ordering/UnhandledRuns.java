package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.UnhandledSince;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks what the store is told of runs whose executor had no handler: the task is tried again, no attempt is spent, and the
 * time of the first try is kept. A task that ran has no such time any more. A run that asked to run again spends no attempt either.
 */
final class UnhandledRuns {

    private record Claimed(Partition partition, long token) {}

    private record Ended(Run run, Outcome outcome) {}

    private final Simulation simulation;
    private final Map<Claimed, Ended> ended = new HashMap<>();

    UnhandledRuns(Simulation simulation) {
        this.simulation = simulation;
    }

    void ends(Run run, Outcome outcome) {
        if (simulation.hasUnknownTypes()) {
            ended.put(new Claimed(run.partition(), run.token()), new Ended(run, outcome));
        }
    }

    void sends(StoreRequest request) {
        if (request instanceof SettleAndClaim step) {
            step.settles().forEach(settle -> settles(request.partition(), settle));
        } else if (request instanceof SettleLate late) {
            settles(request.partition(), late.settle());
        }
    }

    private void settles(Partition partition, Settle settle) {
        Ended known = ended.get(new Claimed(partition, settle.token()));
        if (known == null || !known.run.position().equals(settle.position())) {
            return;
        }
        if (known.outcome instanceof Outcome.Unhandled unhandled) {
            check(
                    settle.verdict() instanceof Verdict.Retry,
                    () -> known.run + " has no handler but is not tried again");
            Envelope kept = Envelope.decode("q", ((Verdict.Retry) settle.verdict()).envelope());
            check(
                    kept.attempts() == known.run.attempt() - 1,
                    () -> known.run + " has no handler and counts as " + kept.attempts() + " attempts");
            check(
                    UnhandledSince.of(kept.task()) == unhandled.since(),
                    () -> known.run + " has no handler since " + unhandled.since() + " but the store is told "
                            + UnhandledSince.of(kept.task()));
        } else if (settle.verdict() instanceof Verdict.Retry retry) {
            Envelope kept = Envelope.decode("q", retry.envelope());
            boolean snoozed = known.outcome instanceof Outcome.Snoozed;
            check(
                    kept.attempts() == known.run.attempt() - (snoozed ? 1 : 0),
                    () -> known.run + " ended with " + known.outcome + " and counts as " + kept.attempts()
                            + " attempts");
            check(
                    UnhandledSince.of(kept.task()) == UnhandledSince.NEVER,
                    () -> known.run + " ran, but keeps the time without a handler");
        }
    }
}
