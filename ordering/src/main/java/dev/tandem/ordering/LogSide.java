package dev.tandem.ordering;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A log (Kafka). Records are known by their offsets, the store has a bit for each settled one, and the settled prefix is
 * committed.
 */
final class LogSide extends BrokerSide {

    /** Says that no offset is known. */
    private static final long NONE = -1;

    private static final long STORED_COMMIT_MILLIS = 1_000;

    private final PartitionState state;
    private final LogTracker tracker;
    private final LogOverflow overflow;
    private long incarnation = NONE;
    private long highWater;
    /** Offsets below it are settled, as the store said at the last acquire. */
    private long storedCommit = NONE;

    private final LogCut cut = new LogCut();
    private final SettledOffsets settled = new SettledOffsets();
    /** Offsets that were settled in this ownership and may still be delivered in it, with the settling request. */
    private final Map<Long, Long> settledAhead = new HashMap<>();

    private final AwaitedOffsets awaited;
    /** Former owners may have begun tasks below it by relays that the store was not told of. */
    private long relayedUpTo;

    private long nextOffset = NONE;
    private long committed = NONE;
    private long committing = NONE;
    private long commitAt;
    private long storedCommitSent = NONE;
    private long storedCommitAt;

    LogSide(PartitionState state) {
        this.state = state;
        this.awaited = new AwaitedOffsets(state.settings.leaseMillis());
        this.tracker = new LogTracker(state.newShares(1));
        this.overflow = new LogOverflow(state, tracker, this::passed, () -> relayedUpTo);
    }

    @Override
    LogTracker tracker() {
        return tracker;
    }

    @Override
    boolean isLeased() {
        return false;
    }

    // ---- assignment and ownership ----

    @Override
    void assigned(Source.Facts facts) {
        committing = NONE;
        committed = facts.committed();
        storedCommitSent = NONE;
        nextOffset = NONE;
        // Another owner may have dealt with it meanwhile. If not, the source notices it again.
        cut.forget();
        if (facts.lostFrom() != Source.Facts.NO_OFFSET) {
            state.active.recordsLostFrom(facts.lostFrom());
        }
    }

    @Override
    void opened() {
        nextOffset = NONE;
    }

    @Override
    long committedOffset(Source.Facts facts) {
        return Math.max(facts.committed(), committed);
    }

    @Override
    boolean isOtherIncarnation(StoreAnswer.Acquired acquired) {
        return incarnation != acquired.incarnation() && tracker.size() > 0;
    }

    @Override
    void acquired(StoreAnswer.Acquired acquired) {
        highWater = Math.max(incarnation == acquired.incarnation() ? highWater : 0, acquired.highWater());
        incarnation = acquired.incarnation();
        cut.told(state.ownership.acquiredWith(), incarnation);
        relayedUpTo = acquired.highWater();
        storedCommit = acquired.storedCommit();
        settled.acquired(acquired);
        awaited.clear();
    }

    @Override
    void expectRedeliveries(StoreAnswer.Acquired acquired, boolean restarted) {}

    @Override
    void recognise(List<TaskEntry> routeAgain, StoreAnswer.Acquired acquired) {}

    @Override
    void forget() {
        settledAhead.clear();
        awaited.clear();
        relayedUpTo = 0;
        settled.clear();
        nextOffset = NONE;
        tracker.clear();
        overflow.clear();
    }

    @Override
    boolean knowsFrom(long offset) {
        return offset < Math.max(Math.max(highWater, nextOffset), storedCommit) || offset <= lowestLost();
    }

    @Override
    long lowestLost() {
        return state.active.lowestLostIn(incarnation);
    }

    @Override
    void cutAt(long offset) {
        if (state.ownership.continues() && !knowsFrom(offset)) {
            cut.noticedLater(offset, incarnation, state.ownership.acquiredWith());
            return;
        }
        cut.noticed(offset, state.ownership.continues() ? incarnation : StoreRequest.Acquire.ANY_INCARNATION);
    }

    @Override
    LogCut cut() {
        return cut;
    }

    @Override
    Incarnation incarnation() {
        return Incarnation.of(incarnation);
    }

    @Override
    long highWater() {
        return highWater;
    }

    // ---- deliveries ----

    @Override
    TaskEntry entry(Delivery delivery, @Nullable String key, long order) {
        long offset = delivery.sequence();
        return new TaskEntry(
                Position.of(incarnation, offset),
                key,
                offset,
                offset,
                order,
                delivery.task(),
                delivery.unreadable(),
                0,
                false,
                null);
    }

    @Override
    @Nullable
    RedeliveryNotes newNotes() {
        return null;
    }

    @Override
    long offsetOf(Position position) {
        long offset = position.offsetIn(incarnation);
        return offset >= committed ? offset : TaskEntry.NO_OFFSET;
    }

    @Override
    long offsetOf(Run run) {
        return run.position().offsetIn(incarnation) == NONE ? TaskEntry.NO_OFFSET : run.sequence();
    }

    /** Offsets below it were delivered, or will not be. */
    private long passed() {
        return Math.max(nextOffset, Math.max(committed, state.ownership.facts().logStart()));
    }

    @Override
    void deliveredUpTo(long next) {
        nextOffset = next;
        settledAhead.keySet().removeIf(offset -> offset < next);
        tracker.deliveredUpTo(next);
        awaited.delivered();
    }

    @Override
    boolean isFirstDelivery(Delivery delivery) {
        return delivery.sequence() >= relayedUpTo;
    }

    @Override
    boolean mayDeliverBegunTasks() {
        return passed() < relayedUpTo;
    }

    @Override
    void routing(TaskEntry entry) {
        highWater = Math.max(highWater, entry.offset() + 1);
    }

    @Override
    @Nullable
    String takeKeyAwaiting(TaskEntry entry) {
        return awaited.remove(entry.offset());
    }

    @Override
    boolean takeSettled(TaskEntry entry) {
        return isSettled(entry.offset());
    }

    private boolean isSettled(long offset) {
        return offset >= 0 && (offset < storedCommit || settled.has(offset));
    }

    @Override
    boolean isSettledInStore(TaskEntry entry) {
        return entry.isTracked() && isSettled(entry.offset());
    }

    @Override
    @Nullable
    Long takeSettledBeforeDelivery(TaskEntry entry) {
        return settledAhead.remove(entry.offset());
    }

    // ---- keys that wait for a delivery ----

    @Override
    void await(Position head, String key) {
        long offset = head.offsetIn(incarnation);
        if (offset >= 0) {
            awaited.put(offset, key);
        } else {
            // The head is of an earlier incarnation. If it is delivered again, then at another position.
            state.work.abandon(head, key);
        }
    }

    @Override
    void abandonMissing() {
        long passed = passed();
        while (awaited.isAnyBelow(passed)) {
            Map.Entry<Long, String> first = awaited.takeFirst();
            if (!tracker.isPending(first.getKey())) {
                state.work.abandon(Position.of(incarnation, first.getKey()), first.getValue());
            }
        }
    }

    @Override
    boolean isAwaitingOffsets() {
        return !awaited.isEmpty();
    }

    @Override
    void abandonFirstAwaited() {
        Map.Entry<Long, String> first = awaited.takeFirst();
        state.work.abandon(Position.of(incarnation, first.getKey()), first.getValue());
    }

    @Override
    LaneOverflow overflow() {
        return overflow;
    }

    // ---- outcomes and hand-overs ----

    @Override
    void settledBeforeDelivery(TaskEntry entry, long requestNumber) {
        if (entry.offset() >= nextOffset) {
            settledAhead.put(entry.offset(), requestNumber);
        }
    }

    @Override
    boolean mayBeDelivered(TaskEntry entry) {
        return true;
    }

    @Override
    boolean isDeliveryHere(TaskEntry entry) {
        return true;
    }

    @Override
    boolean isHandOverToldByBit(TaskEntry entry) {
        return entry.isTracked();
    }

    @Override
    void awaitReturned(TaskEntry entry, DeferredTasks deferred) {
        if (entry.key() != null && !entry.isTracked()) {
            deferred.awaitHead(entry.key());
        }
    }

    // ---- towards the broker ----

    @Override
    void settle(Commands out) {
        if (cut.takeRecorded()) {
            out.cutRecorded(state.partition);
        }
        if (mayCommit(prefix()) && state.context.now() >= commitAt) {
            committing = prefix();
            commitAt = state.context.now() + state.settings.commitMillis();
            out.commit(state.partition, committing);
        }
    }

    private long prefix() {
        return cut.bound(tracker.prefix());
    }

    /** A commit below the stored one, which the broker may have forgotten, would look like an operator's. */
    private boolean mayCommit(long prefix) {
        return committing < 0 && prefix > committed && prefix >= storedCommit;
    }

    @Override
    void committed(long upTo) {
        committing = NONE;
        committed = Math.max(committed, upTo);
    }

    @Override
    void commitFailed() {
        committing = NONE;
        commitAt = state.context.now() + state.settings.retryMillis();
    }

    @Override
    long commitAt() {
        return mayCommit(prefix()) ? commitAt : PartitionState.NEVER;
    }

    @Override
    void durable(long upTo) {
        cut.durable(upTo);
    }

    @Override
    boolean brokerAnswered(Source.Facts facts) {
        return facts.logEnd() != Source.Facts.NO_OFFSET && awaited.isAnyFrom(facts.logEnd());
    }

    /** The next owner would have to notice the cut again, and would make void what was settled since. */
    @Override
    boolean mustSettleBeforeRelease() {
        return cut.isPending();
    }

    @Override
    void trimStore(Commands out) {
        if (committed > storedCommitSent && state.context.now() >= storedCommitAt) {
            storedCommitSent = committed;
            storedCommitAt = state.context.now() + STORED_COMMIT_MILLIS;
            state.send(out, new StoreRequest.RecordCommit(state.requests.next(), incarnation(), committed), 0);
        }
        if (awaited.askNow(state.context.now())) {
            out.confirm(state.partition);
        }
    }

    @Override
    void trimStoreNow(Commands out) {
        storedCommitAt = state.context.now();
        trimStore(out);
    }

    @Override
    long nextTurn() {
        long trimAt = committed > storedCommitSent ? storedCommitAt : PartitionState.NEVER;
        return Math.min(Math.min(commitAt(), trimAt), Math.min(awaited.nextTurn(), overflow.nextTurn()));
    }
}
