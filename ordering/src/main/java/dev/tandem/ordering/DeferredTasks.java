package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Tasks that wait for deliveries: those of keys whose head must be redelivered, and those that the store offered before all
 * that a former owner may have begun was delivered again.
 */
final class DeferredTasks {

    private final PartitionState state;
    /** Keyed tasks that the store offered too early. */
    private final List<TaskEntry> offers = new ArrayList<>();
    /** When they wait no longer: the broker may have lost what it is expected to deliver. */
    private long offersWaitUntil;

    DeferredTasks(PartitionState state) {
        this.state = state;
    }

    void acquired() {
        offersWaitUntil = state.now() + state.settings.leaseMillis();
    }

    void forget() {
        offers.clear();
    }

    // ---- keys that wait for their head ----

    /** Blocks a key whose head's claim lapsed. */
    void block(StoreAnswer.BlockedKey blocked) {
        state.block(blocked.key(), blocked.head(), blocked.reason());
        afterBlock(blocked);
    }

    /** Blocks a key of which the acquire told. It is remembered, for it may not be told of again. */
    void restore(StoreAnswer.BlockedKey blocked) {
        Lane lane = state.lanes.lane(blocked.key());
        lane.block(blocked.head());
        lane.keepsHead(true);
        afterBlock(blocked);
    }

    private void afterBlock(StoreAnswer.BlockedKey blocked) {
        if (blocked.reason() == StoreAnswer.BlockReason.REDELIVERY) {
            awaitHead(blocked.key());
        }
        state.lanes.touch(state.lanes.lane(blocked.key()));
    }

    /** Lets the key wait for a delivery of its head, which may never come. */
    void awaitHead(String key) {
        Lane lane = state.lanes.find(key);
        Position head = lane == null ? null : lane.head();
        if (head != null) {
            state.broker.await(head, key);
        }
    }

    /** Lets keys go on that wait for positions which will not be delivered any more. */
    void abandonMissing() {
        if (state.ownership.isOwned() && state.gate.delivers()) {
            state.broker.abandonMissing();
        }
    }

    /**
     * Gives up the first awaited offset if memory is full and nothing is in progress that could free it. That happens if Redis
     * forgot what came before. The tasks before the head then run first, as they did.
     */
    void abandonIfStuck() {
        boolean waits = state.broker.isAwaitingOffsets() && state.gate.isOpened() && state.isFull(1);
        boolean works = !state.active.isEmpty()
                || state.work.hasOutcomes()
                || state.lanes.hasReady()
                || state.lanes.keepsFreshBack()
                || state.work.hasHandOvers();
        if (waits && !works && !isWorkInFlight()) {
            state.broker.abandonFirstAwaited();
        }
    }

    private boolean isWorkInFlight() {
        return state.requests.unanswered().stream()
                .anyMatch(sent -> sent.request() instanceof StoreRequest.SettleAndClaim
                        || sent.request() instanceof StoreRequest.TakeCustody
                        || sent.request() instanceof StoreRequest.ClaimDue);
    }

    /** Tells the store which positions will not be delivered any more. */
    void sendAbandoned(Commands out) {
        for (PendingWork.AbandonedPosition next = state.work.pollAbandoned();
                next != null;
                next = state.work.pollAbandoned()) {
            state.send(out, new StoreRequest.AbandonPosition(state.requests.next(), next.position(), next.key()), 0);
        }
    }

    // ---- tasks that the store offers ----

    /** Takes a task that the store offered. What a former owner may have begun goes first, in the broker's order. */
    void offered(TaskEntry entry) {
        if (mayBegunPrecede(entry)) {
            // The store offers it again a lease later.
            return;
        }
        if (entry.key() == null || !mustWait()) {
            state.lanes.enterOffer(entry);
        } else if (offers.size() < PartitionState.MAX_OFFERED) {
            offers.add(entry);
        }
    }

    /** Notes a delivery. If nobody was given it before, all that may have begun has been delivered. */
    void delivered(Delivery delivery) {
        if (state.broker.isFirstDelivery(delivery)) {
            offersWaitUntil = state.now();
            enterOffers();
        }
    }

    /** Whether a due task of a key of which nothing is here has no other task before it. */
    boolean mayClaimIdle() {
        return offers.isEmpty() && !mustWait() && state.broker.overflow().isEmpty();
    }

    private boolean mustWait() {
        return state.now() < offersWaitUntil && state.broker.mayDeliverBegunTasks();
    }

    /** Lets the offered tasks take their places, if they need not wait any more. */
    void enterOffers() {
        if (offers.isEmpty() || mustWait()) {
            return;
        }
        List<TaskEntry> waiting = List.copyOf(offers);
        offers.clear();
        for (TaskEntry entry : waiting) {
            if (mayBegunPrecede(entry)) {
                offers.add(entry);
            } else if (!isHere(entry.position())) {
                entry.order(state.nextArrival());
                state.lanes.enterOffer(entry);
            }
        }
    }

    /** Whether a task of the same key, which a former owner may have begun, waits in the log. */
    private boolean mayBegunPrecede(TaskEntry entry) {
        return entry.key() != null && state.broker.overflow().mayHavePassedOverBegun(entry.key());
    }

    /** When {@link #enterOffers} has something to do without any event. */
    long nextTurn() {
        return offers.isEmpty() || !mustWait() ? PartitionState.NEVER : offersWaitUntil;
    }

    /** Whether an offered task waits or runs here already. */
    boolean isHere(Position offered) {
        boolean waits = state.lanes.offered().find(offered) != null
                || offers.stream().anyMatch(entry -> entry.position().equals(offered));
        return waits || state.active.contains(offered);
    }

    /** How many offered tasks wait for deliveries. */
    int offers() {
        return offers.size();
    }

    /** The size of those tasks, in bytes. */
    long offeredBytes() {
        return offers.stream().mapToLong(TaskEntry::weight).sum();
    }

    /** Forgets an offer that waits for deliveries. */
    void forgetOffer(Position position) {
        offers.removeIf(offer -> offer.position().equals(position));
    }

    /** Forgets offers of tasks that other executors have claimed. */
    void forgetClaimedByOthers() {
        offers.removeIf(entry -> state.otherClaims.contains(entry.position()));
    }
}
