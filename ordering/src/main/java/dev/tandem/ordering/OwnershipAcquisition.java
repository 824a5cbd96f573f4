package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Acquires the partition: presents the claims that this process still has, and brings memory in line with the answer. {@code
 * docs/adr/0001-acquire-is-authoritative.md} says why.
 */
final class OwnershipAcquisition {

    private final PartitionState state;
    private final RunLifecycle runs;
    private final DeliveryRouter router;
    private final OwnershipRecovery recovery;
    private final DeferredTasks deferred;
    private final Adoptions adoptions;

    OwnershipAcquisition(
            PartitionState state,
            RunLifecycle runs,
            DeliveryRouter router,
            OwnershipRecovery recovery,
            DeferredTasks deferred,
            Adoptions adoptions) {
        this.state = state;
        this.runs = runs;
        this.router = router;
        this.recovery = recovery;
        this.deferred = deferred;
        this.adoptions = adoptions;
    }

    // ---- the request ----

    void acquire(Commands out) {
        Map<Position, PresentedClaim> presented = new HashMap<>();
        List<PendingOutcome> outcomes = new ArrayList<>();
        for (PendingWrite write : state.requests.planned()) {
            if (write instanceof PendingOutcome outcome) {
                outcomes.add(outcome);
            }
        }
        recovery.dropReturned();
        outcomes.addAll(state.work.outcomes());
        outcomes.forEach(outcome -> presented.put(outcome.position(), outcome.presented()));
        state.active
                .all()
                .forEach(active ->
                        presented.put(active.run().position(), active.presented(state.broker.offsetOf(active.run()))));
        outcomes.forEach(outcome -> dropRelayThatNeverRan(presented, outcome));
        StoreRequest.Acquire request = new StoreRequest.Acquire(
                state.requests.nextAcquire(state.ownership.continues()),
                state.context.executor,
                state.settings.leaseMillis(),
                state.ownership.facts().generation(),
                state.ownership.facts().sourceId(),
                state.broker.committedOffset(state.ownership.facts()),
                state.broker.cut().offset(),
                state.broker.cut().of(),
                List.copyOf(presented.values()));
        state.late.acquireSent();
        state.ownership.acquiring(request, state.now());
        out.send(request);
    }

    /** Removes the relay from an outcome whose next task never started, so that sending it again claims nothing. */
    private static void dropRelayThatNeverRan(Map<Position, PresentedClaim> presented, PendingOutcome outcome) {
        Claim relayed = outcome.relayed();
        PresentedClaim next = relayed == null ? null : presented.get(relayed.position());
        if (relayed != null && (next == null || next.token() != relayed.token())) {
            outcome.relaysNothing();
        }
    }

    // ---- the answer ----

    void acquired(StoreAnswer.Acquired answer) {
        if (state.broker.isOtherIncarnation(answer)) {
            recovery.forgetOwnership();
            state.gate.wantRewind();
        }
        String lastRunId = state.ownership.runId();
        boolean restarted = !lastRunId.isEmpty() && !lastRunId.equals(answer.runId());
        beginOwnership(answer, restarted);
        state.lanes.all().forEach(Lane::reacquired);
        Set<Long> held = new HashSet<>(answer.presentedTokens());
        List<TaskEntry> overtaken = reviewActiveRuns(held);
        state.requests.planned().forEach(write -> noteClaim(write, held));
        state.work.outcomes().forEach(outcome -> noteClaim(outcome, held));
        state.broker.expectRedeliveries(answer, restarted);
        blockLanes(answer);
        routeAgain(answer, overtaken);
        state.returnedClaims.clear();
        state.lanes.touchAll();
        deferred.abandonMissing();
        if (!state.gate.isOpened()) {
            state.broker.handOverBeforeOpening();
            state.gate.wantOpen();
        }
        state.context.report(new CoreEvent.Acquired(
                state.partition, answer.epoch(), answer.otherClaims().size(), answer.blockedKeys()));
        if (state.broker.lowestLost() >= 0) {
            // The store forgot the incarnation in which these positions are others'. One more sets that right.
            recovery.cut(state.broker.lowestLost());
        }
    }

    private void beginOwnership(StoreAnswer.Acquired answer, boolean restarted) {
        long number = state.requests.lastNumber();
        state.ownership.acquired(answer.epoch(), number, answer.runId());
        state.requests.begin(answer.epoch());
        state.durability.clear();
        state.durability.answered(number, state.now());
        state.broker.acquired(answer);
        state.lanes.release();
        state.tokens.begin(answer.epoch());
        state.otherClaims.acquired(answer.otherClaims());
        state.timers.acquired(answer, restarted);
        state.blockedKeys.told(answer.blockedKeys());
        deferred.acquired();
        runs.relays.acquired();
    }

    /** Finds out which runs still have their claims. Returns the delivered entries of those that have not. */
    private List<TaskEntry> reviewActiveRuns(Set<Long> held) {
        List<TaskEntry> overtaken = new ArrayList<>();
        long askedAt = state.ownership.acquireSentAt();
        for (ActiveRun active : state.active.all()) {
            TaskEntry entry = active.entry();
            active.owned(held.contains(active.run().token()));
            if (!active.isOwned()) {
                active.entry(null);
                if (entry != null && entry.isTracked() && entry.isPending()) {
                    overtaken.add(entry);
                }
                continue;
            }
            if (entry == null) {
                entry = state.ofRun(active.run(), active.key());
                entry.awaitsRedelivery(active.awaitsRedelivery());
                active.entry(entry);
            }
            active.run().heldAgain(askedAt, state.leasedUntil(askedAt));
            if (active.key() != null) {
                // If the run never begins, its task still goes before all that wait.
                entry.placeFirst();
                state.lanes.lane(active.key()).busyWith(entry);
            }
        }
        return overtaken;
    }

    private static void noteClaim(PendingWrite write, Set<Long> held) {
        if (write instanceof PendingOutcome outcome) {
            outcome.claimOver(!held.contains(outcome.token()));
        }
    }

    // ---- lanes ----

    private void blockLanes(StoreAnswer.Acquired answer) {
        answer.blocked().forEach(deferred::restore);
        state.requests.planned().forEach(this::restoreEffect);
        state.work.handOvers().forEach(this::restoreEffect);
        adoptHeads();
        for (PendingOutcome outcome : state.work.outcomes()) {
            state.tracker().forgetReport(outcome.entry());
            countRelayedOutcome(outcome);
        }
    }

    /** Does to the lane what a write that is sent again will do to it in the store. */
    private void restoreEffect(PendingWrite write) {
        String key = write.entry().key();
        if (key == null) {
            return;
        }
        Lane lane = state.lanes.lane(key);
        if (write instanceof PendingOutcome outcome) {
            countRelayedOutcome(outcome);
            if (outcome.blocksKey()) {
                lane.block(outcome.position());
            }
        } else if (write instanceof PendingHandOver handOver) {
            if (handOver.holdsLane()) {
                lane.handOversSent(1);
            }
            if (handOver.adopts() && state.active.contains(handOver.position())) {
                lane.block(handOver.position());
            }
        }
    }

    private void countRelayedOutcome(PendingOutcome outcome) {
        String key = outcome.entry().key();
        if (key != null && outcome.isRelayed()) {
            state.lanes.lane(key).relayedOutcomeQueued();
        }
    }

    /** Adopts running heads: a blocked key parks behind its head at once, so the store must have the head first. */
    private void adoptHeads() {
        for (ActiveRun active : state.active.all()) {
            Lane lane = active.isOwned() ? state.lanes.find(active.key()) : null;
            if (lane != null && lane.isBlocked() && lane.isHead(active.run().position())) {
                adoptions.adopt(active);
            }
        }
    }

    // ---- deliveries ----

    /** Routes deliveries again that the answer says something new about. */
    private void routeAgain(StoreAnswer.Acquired answer, List<TaskEntry> overtaken) {
        List<TaskEntry> again = state.tracker().takeReported();
        again.addAll(overtaken);
        // If the store forgot who the owner was, another executor may have worked on the partition meanwhile.
        again.addAll(state.lanes.takeOut(
                entry -> state.otherClaims.contains(entry.position()) || state.broker.isSettledInStore(entry)));
        state.broker.recognise(again, answer);
        deferred.forgetClaimedByOthers();
        again.forEach(router::route);
    }
}
