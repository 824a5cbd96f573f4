package dev.tandem.ordering;

import dev.tandem.task.store.StoreRequest;
import java.util.List;

/** The requests of an owner that are due by time: renewals, probes, due tasks, the patrol. */
final class PeriodicRequests {

    private static final int MAX_DUE_CLAIMS = 64;
    /** The part of the bytes in memory that offered tasks may take: one in this many. */
    private static final int OFFERED_SHARE = 4;

    private final PartitionState state;
    private final ClaimKeeper claims;

    PeriodicRequests(PartitionState state, ClaimKeeper claims) {
        this.state = state;
        this.claims = claims;
    }

    /** Asks for tasks that fell due, if there is a slot to run one. */
    void claimDue(Commands out) {
        boolean room = maxOffers() >= PartitionState.MAX_OFFERED / 2;
        if (!state.timers.isDueRequestDue(room) || !state.context.slots.any()) {
            return;
        }
        int slots = state.context.slots.takeUpTo(MAX_DUE_CLAIMS);
        long firstToken = state.tokens.take(slots);
        state.timers.dueSent();
        state.send(
                out,
                new StoreRequest.ClaimDue(
                        state.requests.next(),
                        state.settings.leaseMillis(),
                        slots,
                        maxOffers(),
                        firstToken,
                        state.context.policy.ordered()),
                slots);
    }

    /** How many offers there is room for. What is offered may block a key if it fails, unlike what is claimed at once. */
    private int maxOffers() {
        boolean room = state.mayBlockKeys()
                && state.lanes.offeredBytes() < state.context.policy.maxBytesInMemory() / OFFERED_SHARE;
        return room ? Math.max(0, PartitionState.MAX_OFFERED - state.lanes.offeredCount()) : 0;
    }

    /** Renews the partition's lease and those of running claims, or probes what is durable. */
    void renew(Commands out) {
        if (state.timers.takeRenewal()) {
            probe(out);
            claims.renewals().forEach(batch -> sendRenew(out, batch));
        } else if (state.now() >= probeAt()) {
            probe(out);
        }
    }

    private void probe(Commands out) {
        state.timers.probed();
        sendRenew(out, List.of());
    }

    private void sendRenew(Commands out, List<ActiveRun> runs) {
        state.send(
                out,
                new StoreRequest.RenewLeases(
                        state.requests.next(),
                        state.settings.leaseMillis(),
                        ClaimKeeper.positions(runs),
                        ClaimKeeper.tokens(runs)),
                0);
    }

    /** When a probe is due; {@link PartitionState#NEVER} if nothing waits to be proven durable. */
    long probeAt() {
        return state.timers.probeAt(state.durability.probeAt());
    }

    /** Looks for lapsed claims. */
    void patrol(Commands out) {
        if (state.timers.takePatrol()) {
            state.send(
                    out,
                    new StoreRequest.ExpireLeases(
                            state.requests.next(),
                            state.settings.batchSize(),
                            state.timers.takeExtension(),
                            state.context.policy.ordered()),
                    0);
        }
    }

    /** When one of these is due without any event. */
    long nextTurn() {
        long next = Math.min(state.timers.renewAt(), probeAt());
        next = Math.min(next, state.context.slots.any() ? state.timers.dueRequestAt() : PartitionState.NEVER);
        return Math.min(next, state.timers.patrolAt());
    }
}
