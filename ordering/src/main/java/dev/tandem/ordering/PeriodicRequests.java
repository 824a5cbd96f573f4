package dev.tandem.ordering;

import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests of an owner that are due by time: renewals, probes, due tasks, the patrol. */
final class PeriodicRequests {

    private static final int MAX_DUE_CLAIMS = 64;
    /** Due tasks are taken ahead of slots if at least 1/{@code AHEAD_PART} of a batch will soon run. */
    private static final int AHEAD_PART = 8;
    /** With more busy keys, a request for due tasks does not name them. */
    private static final int MAX_BUSY_KEYS = 64;
    /** How long others leave slots to the tasks here while the store does not answer, since these cannot be claimed. */
    private static final long SLOW_MILLIS = 100;

    private final PartitionState state;
    private final ClaimKeeper claims;
    private final DeferredTasks deferred;
    /** Whether due tasks get slots first when they want some next. */
    private boolean turnOfDue;

    PeriodicRequests(PartitionState state, ClaimKeeper claims, DeferredTasks deferred) {
        this.state = state;
        this.claims = claims;
        this.deferred = deferred;
    }

    /**
     * Asks for tasks that fell due before tasks in memory take all free slots, every other time that both want some. Otherwise
     * a task that failed would not be tried again as long as there are others.
     */
    void claimDueInTurn(Commands out) {
        if (state.context.slots.isLimited()) {
            // The few starts go to failed tasks first: if they fail again, the store holds no more than before.
            claimDue(out, MAX_DUE_CLAIMS);
            return;
        }
        int free = state.context.slots.free();
        if (free == 0 || !state.timers.isDueWaiting()) {
            return;
        }
        if (turnOfDue) {
            claimDue(out, Math.max(1, free / 2));
        }
        turnOfDue = !turnOfDue;
    }

    /** Asks for tasks that fell due, if there is a slot to run one, or will soon be many. */
    void claimDue(Commands out) {
        claimDue(out, MAX_DUE_CLAIMS);
    }

    private void claimDue(Commands out, int most) {
        int room = maxOffers();
        if (!state.timers.isDueRequestDue(room >= PartitionState.MAX_OFFERED / 2) || !mayTakeDue()) {
            return;
        }
        int slots = state.context.slots.takeUpTo(Math.min(most, MAX_DUE_CLAIMS));
        int ahead = Math.min(room, Math.max(0, state.context.soonRunning() - runnableOffers()));
        long firstToken = state.tokens.take(slots);
        state.timers.dueSent();
        state.send(
                out,
                new StoreRequest.ClaimDue(
                        state.requests.next(),
                        state.settings.leaseMillis(),
                        slots,
                        slots > 0 ? room : ahead,
                        ahead,
                        firstToken,
                        state.context.policy.ordered(),
                        slots > 0 ? busyKeys() : null),
                slots);
    }

    /**
     * Holds the idle keys until the answer, and returns the others. Null if tasks of idle keys may not be claimed at once, or
     * most are busy: then many tasks are better offered and claimed together.
     */
    private @Nullable List<String> busyKeys() {
        boolean mayClaim = state.context.policy.ordered()
                && state.mayBlockKeys()
                && state.requests.hasNothingToResend()
                && deferred.mayClaimIdle();
        if (!mayClaim || state.work.outcomes().size() > MAX_BUSY_KEYS) {
            return null;
        }
        // After a new acquire, the lane of an outcome that is still to be sent may be empty.
        List<String> ending = new ArrayList<>();
        for (PendingOutcome outcome : state.work.outcomes()) {
            String key = outcome.entry().key();
            if (key != null) {
                ending.add(key);
            }
        }
        return state.lanes.holdIdle(MAX_BUSY_KEYS, ending);
    }

    /**
     * Whether to ask for due tasks now. Normally a free slot is needed. While many tasks end in a short time, they are asked
     * for before slots are free. Then the request asks for many at once, but for no more than will soon run.
     */
    private boolean mayTakeDue() {
        int soon = state.context.soonRunning();
        boolean many = soon >= Math.max(1, state.settings.batchSize() / AHEAD_PART);
        boolean enough = 2 * runnableOffers() >= Math.min(soon, PartitionState.MAX_OFFERED);
        if (!state.context.slots.any()) {
            return many && !enough && mayTakeAheadOfSlots();
        }
        return !(many && enough && state.mayBlockKeys() && state.lanes.hasReady());
    }

    /** About how many tasks could start at once if there were slots. */
    int waitingStarts() {
        if (!state.ownership.isOwned() || state.timers.isQuiet() || isStoreSlow()) {
            return 0;
        }
        int due = state.timers.isDueWaiting() ? MAX_DUE_CLAIMS : 0;
        return due + (state.mayBlockKeys() ? state.lanes.ready().count() : state.lanes.readyHeads());
    }

    /** Tells the other partitions how many tasks of higher priorities wait here for slots. */
    void noteWaits(int sign) {
        if (state.ownership.isOwned() && !state.timers.isQuiet() && state.mayBlockKeys() && !isStoreSlow()) {
            state.context.waits(state.lanes.ready(), sign);
        }
    }

    private boolean isStoreSlow() {
        return state.now() >= slowAt();
    }

    /** When the store has left a request unanswered for so long that others should not wait for the tasks here. */
    private long slowAt() {
        long sentAt = state.requests.oldestSentAt();
        return sentAt == PartitionState.NEVER ? PartitionState.NEVER : sentAt + SLOW_MILLIS;
    }

    private boolean mayTakeAheadOfSlots() {
        return state.context.slots.areAllTaken() && !state.timers.dueAwaitsSlot() && maxOffers() > 0;
    }

    /** How many offers there is room for. What is offered may block a key if it fails, unlike what is claimed at once. */
    private int maxOffers() {
        boolean room = state.mayBlockKeys() && state.lanes.offered().bytes() < state.maxOfferedBytes();
        return room
                ? Math.max(0, PartitionState.MAX_OFFERED - state.lanes.offered().count())
                : 0;
    }

    /** How many offers could run now, at most. Many of one key that wait for one another are not more work than one. */
    private int runnableOffers() {
        return state.lanes.offered().runnable(state.lanes.ready().count());
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
        next = Math.min(next, mayTakeDue() ? state.timers.dueRequestAt() : PartitionState.NEVER);
        // Then the others may take the slots that they left to tasks of higher priorities here.
        boolean othersWait = state.lanes.ready().highest() > 0 && !isStoreSlow();
        next = Math.min(next, othersWait ? slowAt() : PartitionState.NEVER);
        return Math.min(next, state.timers.patrolAt());
    }
}
