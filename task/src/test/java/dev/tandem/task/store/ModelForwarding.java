package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveriesForwarded;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import dev.tandem.task.store.StoreRequest.Redelivery;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Applies the requests about messages that were redelivered to another partition of an unordered queue. */
final class ModelForwarding {

    private final ModelPartition partition;
    private final ModelTasks tasks;
    private final Set<Flaw> flaws;
    private final String runId;
    private final long now;

    ModelForwarding(ModelPartition partition, Set<Flaw> flaws, String runId, long now) {
        this.partition = partition;
        this.tasks = partition.tasks;
        this.flaws = flaws;
        this.runId = runId;
        this.now = now;
    }

    KnownPositions listKnownPositions() {
        List<LiveClaim> live = new ArrayList<>();
        for (StoredClaim claim : partition.claims()) {
            // What awaits redelivery is listed as that only.
            if (!tasks.holds(claim.position()) && !partition.redeliveries.isAwaited(claim.position())) {
                boolean former = !claim.isOf(partition.executor);
                live.add(new LiveClaim(claim.position(), former, partition.deadline(claim) - now));
            }
        }
        live.sort(Comparator.comparing(claim -> claim.position().text()));
        boolean complete = partition.executor == null || runId.equals(partition.runId) && now >= partition.quietUntil;
        return new KnownPositions(runId, complete, live, partition.history());
    }

    RedeliveriesForwarded apply(ForwardRedeliveries request, boolean memoryFull) {
        if (memoryFull) {
            return new RedeliveriesForwarded(
                    runId, Collections.nCopies(request.messages().size(), HandOverResult.NO_ROOM), true);
        }
        List<HandOverResult> results = new ArrayList<>();
        for (Redelivery message : request.messages()) {
            results.add(forward(message, request.asker(), now + request.notBeforeMillis()));
        }
        return new RedeliveriesForwarded(runId, results, true);
    }

    private HandOverResult forward(Redelivery message, String asker, long notBefore) {
        Position position = message.position();
        HandOverResult given = partition.redeliveries.answerGivenTo(position, asker);
        if (given != null) {
            return given;
        }
        if (partition.redeliveries.isAwaited(position)) {
            return flaws.contains(Flaw.KEEP_AWAITING)
                    ? HandOverResult.DONE
                    : partition.redeliveries.giveUp(position, asker, HandOverResult.DONE, now);
        }
        StoredClaim claim = tasks.claim(position);
        if (tasks.holds(position) || claim == null && !partition.attempts.containsKey(position)) {
            return HandOverResult.GONE;
        }
        StoredEnvelope envelope = partition.stored(message.envelope());
        if (claim == null) {
            tasks.retry(position, envelope, notBefore);
        } else {
            tasks.adopt(position, envelope);
            if (partition.deadline(claim) < notBefore) {
                tasks.extendClaim(claim, notBefore);
            }
        }
        return partition.redeliveries.giveUp(position, asker, HandOverResult.OK, now);
    }
}
