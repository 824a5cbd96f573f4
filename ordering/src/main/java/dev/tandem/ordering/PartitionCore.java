package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.Collection;
import java.util.stream.Stream;

/**
 * One partition of a queue in one process. It decides which tasks run, in which order; who has custody of each; and when the
 * broker may forget one.
 *
 * <p><b>What it decides.</b> Three things are never given up. Tasks of one key run one at a time and in order, also over
 * retries, crashes and changes of the owner. A task is committed or acked only when its success is recorded, or when the
 * store durably has it. And a key that waits holds up no other key, nor the commit. {@code docs/guarantees.md} has them word
 * for word.
 *
 * <p><b>How.</b> Events come in (a delivery, an answer of the store, the end of a run) and change what is in memory. {@link
 * #flush} then says what must be done now, as {@link Commands}. Nothing here does I/O or reads a clock, so a simulation can
 * drive it through any history, and the same events always lead to the same commands. One thread calls it.
 *
 * <p><b>The life of a task.</b>
 *
 * <ol>
 *   <li>The broker assigns the partition. {@link OwnershipAcquisition} acquires it in the store, which answers with all that
 *       the owner must know: live claims of others, settled offsets, blocked keys.
 *   <li>A task is delivered. {@link DeliveryRouter} sends it to the lane of its key, or to the store if it is not due yet, or
 *       nowhere if it is settled.
 *   <li>{@link OwnerRequests} claims the next task of each open lane, many in one request, together with the outcomes of runs
 *       that have ended.
 *   <li>{@link SettleAndClaimAnswers} takes the answer, and {@link RunLifecycle} starts the task under its claim. When the task
 *       succeeds, the next one of its key may start at once: a relay ({@code docs/adr/0003-relay.md}).
 *   <li>The outcome is recorded with the next request. A success settles the task. A retry moves it to the store, blocks its
 *       key, and the tasks behind it are parked there: {@link HandOverAnswers}.
 *   <li>What moved custody is kept in memory until a probe proves it durable. Then {@link LogSide} commits the settled prefix,
 *       or {@link QueueSide} acks the message.
 * </ol>
 *
 * <p><b>What goes wrong.</b> If the connection to the store breaks, or the store loses writes, {@link OwnershipRecovery} plans
 * to send again all that is not durable, and the partition is acquired again. If another process has owned it meanwhile,
 * memory is forgotten and the broker delivers again. Runs go on under their claims: {@link ClaimKeeper} keeps those, and
 * their outcomes are recorded by token alone ({@link dev.tandem.ordering.requests.LateOutcomes}).
 *
 * <p><b>Where state lives.</b> {@link PartitionState} holds the parts, each of which guards its own fields: {@link
 * dev.tandem.ordering.ownership.Ownership} the phase, {@link dev.tandem.ordering.lanes.Lanes} what waits, {@link
 * dev.tandem.ordering.tracking.DeliveryTracker} what was delivered, {@link dev.tandem.ordering.requests.RequestLog} what is
 * on its way to the store, {@link RequestTimers} what is due when. {@link BrokerSide} has what differs between a log and a
 * message queue.
 *
 * <p>The store's side of all this is in {@code docs/store-protocol.md}; the reasons are in {@code docs/adr}.
 */
final class PartitionCore {

    private final PartitionState state;
    private final ClaimKeeper claims;
    private final RunLifecycle runs;
    private final DeferredTasks deferred;
    private final DeclinedOffers declined;
    private final DeliveryRouter router;
    private final OwnershipRecovery recovery;
    private final Adoptions adoptions;
    private final OwnerRequests requests;
    private final PeriodicRequests periodic;
    private final OwnershipAcquisition acquisition;
    private final StoreAnswerHandler answers;
    private final LeaseReturner leaseReturner;
    private final BackPressure backPressure;

    private boolean storeUp;
    /** Whether the release waits until messages that could not be recognised are acked. */
    private boolean settling;

    PartitionCore(Partition partition, QueueContext context, String writer) {
        this.state = new PartitionState(partition, context, writer);
        this.claims = new ClaimKeeper(state);
        this.runs = state.runs;
        this.deferred = new DeferredTasks(state);
        this.declined = new DeclinedOffers(state);
        this.router = new DeliveryRouter(state, deferred);
        this.recovery = new OwnershipRecovery(state, runs, claims, deferred, declined);
        this.adoptions = new Adoptions(state);
        this.requests = new OwnerRequests(state);
        this.periodic = new PeriodicRequests(state, claims, deferred);
        this.acquisition = new OwnershipAcquisition(state, runs, router, recovery, deferred, adoptions);
        this.answers = new StoreAnswerHandler(state, runs, claims, router, recovery, deferred, acquisition);
        this.leaseReturner = new LeaseReturner(state);
        this.backPressure = new BackPressure(state, deferred);
    }

    // ---- the source ----

    void assigned(Source.Facts facts) {
        if (!state.ownership.isLeft()) {
            recovery.leave();
            state.gate.takeLeft();
        }
        leaseReturner.drop();
        state.ownership.assigned(facts, state.now());
        state.gate.assigned();
        state.broker.assigned(facts);
        state.timers.assigned();
        settling = false;
    }

    void delivered(Collection<Delivery> deliveries, long next) {
        boolean owned = state.ownership.isOwned();
        boolean ours = !state.ownership.isLeaving() && !state.ownership.isLeft();
        if (!ours || !state.gate.delivers()) {
            return;
        }
        for (Delivery delivery : deliveries) {
            if (delivery.redelivered()) {
                // It may be of a task in a row.
                state.rows.stopAll();
            }
            if (owned) {
                deferred.delivered(delivery);
            }
            TaskEntry entry = router.entry(delivery);
            entry.cameAt(state.now());
            state.tracker().delivered(entry);
            if (owned) {
                router.route(entry);
            } else {
                // The entry is routed once the store's view is known again.
                state.tracker().mark(entry, DeliveryState.REPORTED_SETTLED, DeliveryTracker.NEVER_DURABLE);
            }
        }
        state.broker.deliveredUpTo(next);
        deferred.abandonMissing();
        deferred.enterOffers();
    }

    /** The log may have been cut at this offset. @return whether something known is void */
    boolean cut(long offset) {
        return recovery.cut(offset);
    }

    /** Returns the deliveries that are not acked yet. */
    Stream<TaskEntry> deliveries() {
        return state.tracker().entries().stream();
    }

    /** The size of what was delivered and is in memory. */
    long bytes() {
        return state.tracker().bytes();
    }

    void caughtUp() {
        state.broker.caughtUp();
        deferred.abandonMissing();
        deferred.enterOffers();
    }

    void recalled(long id, Collection<Delivery> deliveries, long next) {
        overflow().recalled(id, deliveries, next, router);
    }

    LaneOverflow overflow() {
        return state.broker.overflow();
    }

    BrokerSide broker() {
        return state.broker;
    }

    void confirmed(Source.Facts facts) {
        if (state.ownership.isConfirming()) {
            state.ownership.confirmed(facts, state.now());
        } else if (state.ownership.isOwned() && state.broker.brokerAnswered(facts)) {
            recovery.cut(facts.logEnd());
        }
    }

    void revoked() {
        if (state.ownership.isOwned()) {
            state.rows.stopAll();
            state.ownership.leaving();
            recovery.dropStarts();
        } else if (!state.ownership.isLeaving()) {
            lost();
        }
    }

    void lost() {
        if (storeUp) {
            leaseReturner.leaving();
        }
        recovery.leave();
    }

    // ---- the store, and runs ----

    void storeUp() {
        storeUp = true;
    }

    void storeDown() {
        storeUp = false;
        leaseReturner.drop();
        state.late.connectionLost();
        claims.connectionLost();
        switch (state.ownership.phase()) {
            case OWNED, ACQUIRING, LEAVING -> recovery.recover();
            case CONFIRMING -> state.ownership.confirmAgain();
            case WAITING, LEFT -> {}
        }
    }

    void woken() {
        if (state.ownership.isOwned()) {
            state.timers.dueAfter(0);
            state.timers.lapsesIn(0);
            state.lanes.retryFull(Integer.MAX_VALUE);
        }
    }

    Rows rows() {
        return state.rows;
    }

    Cancellations cancellations() {
        return state.cancellations;
    }

    void storeRoom(StoreRoom room) {
        if (!room.isLeft()) {
            state.rows.stopAll();
        }
        state.room.store(room);
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        leaseReturner.answered(request, answer);
        answers.answered(request, answer);
    }

    void finished(Run run, Outcome outcome) {
        runs.finished(run, outcome);
    }

    // ---- what must be done now ----

    void flush(Commands out) {
        if (state.gate.takeOpen()) {
            state.broker.opened();
            out.open(state.partition);
            deferred.abandonMissing();
        }
        if (state.ownership.isOwned() && state.gate.takeRewind()) {
            out.rewind(state.partition);
        }
        if (state.now() >= giveUpAt()) {
            // The lease may be another process's by now, which needs the messages that our channel holds.
            recovery.leave();
        }
        if (storeUp) {
            flushToStore(out);
        }
        backPressure.apply(out);
        if (state.gate.takeLeft()) {
            out.left(state.partition);
        }
    }

    private void flushToStore(Commands out) {
        if (state.late.hasUnsent()) {
            state.late.flush(out::send);
        }
        leaseReturner.flush(out);
        claims.flush(out);
        switch (state.ownership.phase()) {
            case WAITING -> {
                if (state.ownership.mayTry(state.now())) {
                    confirmOrAcquire(out);
                }
            }
            case OWNED -> work(out);
            case LEAVING -> release(out);
            case CONFIRMING, ACQUIRING, LEFT -> {}
        }
    }

    private void confirmOrAcquire(Commands out) {
        if (state.ownership.mustConfirm(state.now(), state.settings.leaseMillis() / 4)) {
            state.ownership.confirming();
            out.confirm(state.partition);
        } else {
            acquisition.acquire(out);
        }
    }

    private void work(Commands out) {
        requests.sendAgain(out);
        deferred.enterOffers();
        declined.retryFullLanes();
        state.lanes.admitFresh(state.room.isLeft() || backPressure.mustMakeWayForAwaited());
        periodic.claimDueInTurn(out);
        requests.settleAndClaim(out);
        state.cancellations.handOver();
        overflow().makeRoom();
        if (!state.work.hasOutcomes()) {
            requests.handOver(out);
        }
        deferred.abandonIfStuck();
        deferred.sendAbandoned(out);
        declined.send(out);
        adoptions.adoptDue();
        periodic.claimDue(out);
        periodic.renew(out);
        periodic.patrol(out);
        overflow().recall(out);
        state.broker.settle(out);
        state.broker.trimStore(out);
    }

    private void release(Commands out) {
        requests.sendAgain(out);
        requests.settleAndClaim(out);
        state.broker.settle(out);
        if (!state.ownership.isReleaseSent()) {
            // There may be no next owner, and an operator may move the offset back meanwhile. The stored commit tells.
            state.broker.trimStoreNow(out);
        }
        settling = !state.ownership.isReleaseSent() && state.broker.mustSettleBeforeRelease();
        if (settling) {
            periodic.renew(out);
            return;
        }
        boolean allAnswered =
                !state.work.hasOutcomes() && state.requests.unanswered().isEmpty();
        if (allAnswered && !state.ownership.isReleaseSent()) {
            state.ownership.releaseSent();
            state.send(out, new StoreRequest.Release(state.requests.next()), 0);
        }
    }

    /** When a leased partition is given up, since the store could not be reached for as long as the lease can be ours. */
    private long giveUpAt() {
        boolean waits = !storeUp && state.gate.isOpened() && !state.ownership.isLeft() && state.broker.isLeased();
        return waits ? state.timers.lastAnswerAt() + state.settings.leaseMillis() : PartitionState.NEVER;
    }

    // ---- when it is due again ----

    /** When {@link #flush} has something to do without any event; {@link Long#MAX_VALUE} if never. */
    long nextTurn() {
        if (!storeUp) {
            return giveUpAt();
        }
        return switch (state.ownership.phase()) {
            case WAITING -> Math.min(claims.nextTurn(), state.ownership.retryAt());
            case CONFIRMING, ACQUIRING, LEFT -> claims.nextTurn();
            case LEAVING -> Math.min(claims.nextTurn(), leavingNextTurn());
            case OWNED -> ownedNextTurn();
        };
    }

    private long leavingNextTurn() {
        long settlingNext = Math.min(state.timers.renewAt(), periodic.probeAt());
        return Math.min(state.broker.commitAt(), settling ? settlingNext : PartitionState.NEVER);
    }

    private long ownedNextTurn() {
        long next = Math.min(periodic.nextTurn(), state.broker.nextTurn());
        next = Math.min(next, deferred.nextTurn());
        next = Math.min(next, state.lanes.anyFull() ? state.timers.fullRetryAt() : PartitionState.NEVER);
        next = Math.min(next, state.timers.mayHandOver() ? PartitionState.NEVER : state.timers.roomAt());
        next = Math.min(next, state.timers.isQuiet() ? state.timers.quietUntil() : PartitionState.NEVER);
        return Math.min(next, state.active.isEmpty() ? PartitionState.NEVER : state.timers.adoptAt());
    }

    /** Whether nothing runs, no outcome waits, and all that was recorded is durable. */
    boolean isIdle() {
        boolean nothingLeft = state.ownership.isLeft() || !state.work.hasOutcomes() && !state.durability.isWaiting();
        return state.active.isEmpty() && state.late.isEmpty() && leaseReturner.isDone() && nothingLeft;
    }

    PeriodicRequests periodic() {
        return periodic;
    }

    BackPressure backPressure() {
        return backPressure;
    }

    @Override
    public String toString() {
        return state.partition + " " + state.ownership.phase() + " active=" + state.active.positions() + " outcomes="
                + state.work.outcomes() + " tracked=" + state.tracker().size() + " lanes=" + state.lanes;
    }
}
