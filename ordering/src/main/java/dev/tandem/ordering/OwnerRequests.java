package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingHandOver;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.PendingWrite;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.List;

/** The requests of an owner that move tasks: settle and claim, take custody, and both again after a break. */
final class OwnerRequests {

    /** The smallest request to settle and claim that is sent while another has no answer. */
    private static final int MIN_PIPELINED = 32;

    private static final int MAX_OTHERS_IN_FLIGHT = 8;
    private static final int MAX_REQUEST_BYTES = 1 << 20;
    /** A head has run for long after so many times the time after which a run is adopted. */
    private static final int LONG_RUN = 10;

    private final PartitionState state;

    OwnerRequests(PartitionState state) {
        this.state = state;
    }

    // ---- again, after a break ----

    void sendAgain(Commands out) {
        while (!state.requests.hasNothingToResend()) {
            List<PendingWrite> writes = state.requests.takeResend(state.settings.batchSize());
            if (writes.get(0) instanceof PendingOutcome) {
                SettleAndClaimBatch batch = new SettleAndClaimBatch();
                for (PendingWrite write : writes) {
                    PendingOutcome outcome = (PendingOutcome) write;
                    outcome.sentAgain();
                    batch.add(outcome, 0);
                }
                send(out, batch);
            } else {
                List<PendingHandOver> batch = new ArrayList<>();
                writes.forEach(write -> batch.add((PendingHandOver) write));
                sendHandOvers(out, batch);
            }
        }
    }

    // ---- settle and claim ----

    /** One request to settle and claim, as it is put together. */
    private final class SettleAndClaimBatch {
        private final List<PendingOutcome> outcomes = new ArrayList<>();
        private final List<StoreRequest.Settle> settles = new ArrayList<>();
        private final List<TaskEntry> claimed = new ArrayList<>();
        private final List<StoreRequest.Claim> claims = new ArrayList<>();
        private int bytes;
        private int slots;

        boolean hasRoom() {
            return outcomes.size() + claimed.size() < state.settings.batchSize();
        }

        boolean isEmpty() {
            return outcomes.isEmpty() && claimed.isEmpty();
        }

        void add(PendingOutcome outcome, long nextToken) {
            state.broker.willSettle(outcome.entry());
            bytes += outcome.entry().weight();
            slots += nextToken == 0 ? 0 : 1;
            outcomes.add(outcome);
            settles.add(outcome.settle(nextToken));
        }

        void claim(TaskEntry entry) {
            slots++;
            claimed.add(entry);
            SettledMark check = isMaybeSettled(entry) ? entry.offsetMark() : SettledMark.NONE;
            claims.add(new StoreRequest.Claim(
                    entry.position(), state.tokens.next(), entry.key(), entry.isInStore(), check));
        }
    }

    /** Whether somebody may have settled the task without an acquire telling of it. Then the claim asks for its bit. */
    private boolean isMaybeSettled(TaskEntry entry) {
        return entry.isDoubtful()
                || state.late.mayHaveSettled(entry.position())
                || state.otherClaims.mayGoOnWith(entry.key());
    }

    void settleAndClaim(Commands out) {
        boolean mayClaim = state.ownership.isOwned() && !state.timers.isQuiet();
        while (state.requests.settleAndClaimsInFlight() < state.settings.batchesInFlight()) {
            int ready = mayClaim ? Math.min(claimable(), state.context.slots.free()) : 0;
            int size = state.work.outcomes().size() + ready;
            if (size == 0 || state.requests.settleAndClaimsInFlight() > 0 && size < MIN_PIPELINED) {
                return;
            }
            SettleAndClaimBatch batch = new SettleAndClaimBatch();
            addOutcomes(batch);
            if (mayClaim) {
                addClaims(batch);
            }
            if (batch.isEmpty()) {
                return;
            }
            send(out, batch);
        }
    }

    private int claimable() {
        return state.mayBlockKeys() ? state.lanes.ready().count() : state.lanes.readyHeads();
    }

    private void addOutcomes(SettleAndClaimBatch batch) {
        while (batch.hasRoom() && batch.bytes < MAX_REQUEST_BYTES && state.work.hasOutcomes()) {
            PendingOutcome outcome = state.work.takeOutcome();
            batch.add(outcome, nextToken(outcome));
            foreseeEffect(outcome);
        }
    }

    private void addClaims(SettleAndClaimBatch batch) {
        while (!state.work.hasOutcomes() && batch.hasRoom() && state.lanes.hasReady() && takeSlot()) {
            TaskEntry entry = state.mayBlockKeys() ? state.lanes.pollReady() : state.lanes.pollReadyHead();
            if (entry == null) {
                state.context.slots.giveUnused(1);
                return;
            }
            batch.claim(entry);
        }
    }

    /** Takes a slot for what is next, unless other partitions have tasks of higher priorities for all that are free. */
    private boolean takeSlot() {
        int above = state.context.countAbove(state.lanes.ready().highest());
        return above < state.context.slots.free() && state.context.slots.take();
    }

    private void send(Commands out, SettleAndClaimBatch batch) {
        StoreRequest.SettleAndClaim request = new StoreRequest.SettleAndClaim(
                state.requests.next(),
                state.settings.leaseMillis(),
                state.broker.incarnation(),
                state.broker.highWater(),
                batch.settles,
                batch.claims);
        long number = request.header().number();
        batch.outcomes.forEach(outcome -> outcome.sentIn(number));
        state.requests.sent(new RequestLog.Sent(
                request, batch.outcomes, batch.claimed, List.of(), batch.slots, state.now(), state.lastArrival()));
        state.context.slots.asked(batch.slots);
        out.send(request);
    }

    /** Returns a token for the lane's next task, if the head of a blocked key may take it along in the slot that it leaves. */
    private long nextToken(PendingOutcome outcome) {
        Lane lane = state.lanes.find(outcome.entry().key());
        boolean goesOn = outcome.succeeds() || outcome.isDeadWith(DeadHead.SKIP);
        boolean heads = lane != null && lane.isBlocked() && lane.isHead(outcome.position());
        if (!goesOn || !heads || !state.ownership.isOwned()) {
            return 0;
        }
        if (isTurnOfOthers(outcome.entry())) {
            // The lane's next task is due now, and waits for a slot like any other.
            state.timers.dueAfter(0);
            return 0;
        }
        return state.context.slots.take() ? state.tokens.next() : 0;
    }

    private boolean isTurnOfOthers(TaskEntry ended) {
        return state.context.policy.starts().fair() != null
                && ended.hasTask()
                && state.lanes.ready().prefersOthersTo(ended);
    }

    /** Brings the lane to the state that it will have in the store when later requests arrive there. */
    private void foreseeEffect(PendingOutcome outcome) {
        TaskEntry entry = outcome.entry();
        if (entry.key() == null) {
            return;
        }
        Lane lane = state.lanes.lane(entry.key());
        lane.free(entry);
        if (outcome.blocksKey()) {
            BlockReason reason = outcome.isDeadWith(DeadHead.HALT) ? BlockReason.HALTED : BlockReason.HEAD;
            if (!lane.isBlocked()) {
                state.blockedKeys.blocksOneMore();
            }
            state.block(entry.key(), entry.position(), reason);
        } else if (outcome.isDeadWith(DeadHead.DRAIN)) {
            drain(lane, entry);
        } else if (outcome.isReturned() && !state.isOfferedAgain(entry)) {
            // Nothing of this key may overtake the task before it is back in its place.
            lane.busyWith(entry);
        }
        state.lanes.touch(lane);
    }

    /** Buries what waits in memory behind a head that died. What the store has dies there. */
    private void drain(Lane lane, TaskEntry head) {
        String error = Envelope.drainedBehind(state.partition, head.position());
        for (TaskEntry entry : lane.takeIf(waiting -> !waiting.isInStore())) {
            state.work.handOver(PendingHandOver.buried(entry, error));
        }
    }

    // ---- take custody ----

    void handOver(Commands out) {
        if (!state.timers.mayHandOver()) {
            return;
        }
        int room = MAX_OTHERS_IN_FLIGHT - state.requests.othersInFlight();
        while (room-- > 0) {
            List<PendingHandOver> batch = nextHandOvers();
            if (batch.isEmpty()) {
                return;
            }
            sendHandOvers(out, batch);
        }
    }

    private List<PendingHandOver> nextHandOvers() {
        int batchSize = state.settings.batchSize();
        int bytes = 0;
        boolean withFresh = state.lanes.admitsFresh();
        List<PendingHandOver> batch = new ArrayList<>();
        while (batch.size() < batchSize && bytes < MAX_REQUEST_BYTES) {
            PendingHandOver handOver = state.work.pollHandOver(withFresh);
            if (handOver == null) {
                break;
            }
            bytes += handOver.entry().weight();
            batch.add(handOver);
        }
        while (batch.size() < batchSize && bytes < MAX_REQUEST_BYTES && state.lanes.hasParkable()) {
            for (TaskEntry entry : state.lanes.pollParks(batchSize - batch.size())) {
                bytes += entry.weight();
                batch.add(new PendingHandOver(entry, park(entry)));
            }
        }
        return batch;
    }

    /** A key whose head runs for long stands still. */
    private Move.Park park(TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        Position head = lane == null ? null : lane.head();
        ActiveRun run = head == null ? null : state.active.find(head);
        boolean standsStill = run != null && state.now() - run.startedAt() >= LONG_RUN * state.timers.adoptAfter();
        return standsStill ? new Move.Park() : state.broker.overflow().park();
    }

    private void sendHandOvers(Commands out, List<PendingHandOver> batch) {
        List<StoreRequest.HandOver> handOvers = new ArrayList<>(batch.size());
        for (PendingHandOver handOver : batch) {
            TaskEntry entry = handOver.entry();
            boolean parksStored = handOver.parks() && entry.isInStore() && !entry.isTracked();
            boolean storeHasIt = handOver.blocksOnly() || parksStored;
            state.broker.willHandOver(entry);
            handOvers.add(new StoreRequest.HandOver(
                    entry.position(),
                    entry.key(),
                    entry.settledMark(),
                    handOver.move(),
                    storeHasIt ? null : entry.envelope(handOver.error())));
        }
        StoreRequest.TakeCustody request = new StoreRequest.TakeCustody(
                state.requests.next(),
                state.broker.incarnation(),
                state.broker.highWater(),
                state.context.policy.maxParkedPerKey(),
                state.context.policy.maxParkedPerPartition(),
                handOvers);
        state.requests.sent(
                new RequestLog.Sent(request, List.of(), List.of(), batch, 0, state.now(), state.lastArrival()));
        out.send(request);
    }
}
