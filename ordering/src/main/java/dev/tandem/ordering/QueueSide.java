package dev.tandem.ordering;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.redelivery.Identities;
import dev.tandem.ordering.redelivery.IdentityPages;
import dev.tandem.ordering.redelivery.RedeliveryMatcher;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.ordering.tracking.QueueTracker;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message queue (RabbitMQ). Each message is acked by itself, and what is redelivered must be recognised by its identity:
 * see {@link dev.tandem.ordering.redelivery}.
 */
abstract sealed class QueueSide extends BrokerSide permits OrderedQueueSide, UnorderedQueueSide {

    /** How many leases an ack that was sent may still get lost. */
    private static final int LEASES_UNTIL_ACKED = 3;

    final PartitionState state;
    final RedeliveryMatcher matcher = new RedeliveryMatcher();
    final IdentityPages pages;
    private final QueueTracker tracker;
    private final TenantLines lines;
    /** The page below which the store can drop all, or {@link IdentityPages#NO_PAGE}. */
    private long droppable = IdentityPages.NO_PAGE;

    QueueSide(PartitionState state) {
        this.state = state;
        this.tracker = new QueueTracker(state.newShares(TenantLines.WINDOW_PART));
        this.lines = new TenantLines(state, tracker);
        long lease = state.settings.leaseMillis();
        this.pages = new IdentityPages(lease, LEASES_UNTIL_ACKED * lease);
    }

    @Override
    QueueTracker tracker() {
        return tracker;
    }

    @Override
    boolean isLeased() {
        return true;
    }

    // ---- assignment and ownership ----

    @Override
    void assigned(Source.Facts facts) {}

    @Override
    long committedOffset(Source.Facts facts) {
        return facts.committed();
    }

    @Override
    boolean isOtherIncarnation(StoreAnswer.Acquired acquired) {
        return false;
    }

    @Override
    void acquired(StoreAnswer.Acquired acquired) {
        matcher.clearAwaited();
        lines.acquired(acquired.hasLines());
    }

    /** Notes runs and outcomes whose messages are redelivered if the store forgot that it took them over. */
    abstract void expectForgottenHandOvers();

    /** Takes what is known of earlier deliveries, before a channel is opened. */
    abstract void beginChannel(StoreAnswer.Acquired acquired);

    @Override
    void expectRedeliveries(StoreAnswer.Acquired acquired, boolean restarted) {
        if (restarted) {
            expectForgottenHandOvers();
        }
        pages.forgetAsked();
        if (state.gate.isOpened()) {
            matcher.reacquired(acquired);
            expectOnOpenChannel(acquired);
            pages.reacquired(acquired.history().pages());
        } else {
            beginChannel(acquired);
            pages.begin(acquired.history().pages(), state.context.now());
        }
    }

    /** Takes what an acquire says of messages that the open channel may redeliver. */
    void expectOnOpenChannel(StoreAnswer.Acquired acquired) {}

    /**
     * Marks an entry whose message may be redelivered although its task runs or has ended, because the store forgot that it
     * took it over.
     *
     * @return whether it may
     */
    final boolean mayBeRedelivered(TaskEntry entry) {
        boolean may = !entry.isTracked() && Identities.isNamed(entry.position());
        if (may) {
            entry.awaitsRedelivery(true);
        }
        return may;
    }

    @Override
    void forget() {
        tracker.clear();
        matcher.clear();
        lines.forget();
        droppable = IdentityPages.NO_PAGE;
    }

    @Override
    Incarnation incarnation() {
        return Incarnation.NO_OFFSETS;
    }

    @Override
    long highWater() {
        return 0;
    }

    // ---- deliveries ----

    @Override
    TaskEntry entry(Delivery delivery, @Nullable String key, long order) {
        RedeliveryMatcher.Match match = matcher.match(delivery);
        Position position = match == null
                ? Identities.newPosition(delivery.identity(), state.requests.writer(), order)
                : match.position();
        RedeliveryNotes notes = newNotes();
        notes.redelivered(delivery.redelivered());
        notes.matched(match != null);
        notes.adoptFirst(match != null && match.adoptFirst());
        return new TaskEntry(
                position,
                key,
                delivery.sequence(),
                TaskEntry.NO_OFFSET,
                order,
                delivery.task(),
                delivery.unreadable(),
                0,
                false,
                notes);
    }

    @Override
    RedeliveryNotes newNotes() {
        return new RedeliveryNotes();
    }

    @Override
    long offsetOf(Position position) {
        return TaskEntry.NO_OFFSET;
    }

    @Override
    void deliveredUpTo(long next) {}

    @Override
    void caughtUp() {
        matcher.caughtUp();
    }

    @Override
    boolean isFirstDelivery(Delivery delivery) {
        return !delivery.redelivered();
    }

    @Override
    boolean isSurelyNew(TaskEntry entry) {
        return !entry.notes().isRedelivered() && !entry.notes().isMatched();
    }

    @Override
    boolean mayDeliverBegunTasks() {
        return !matcher.isCaughtUp();
    }

    @Override
    boolean takeSettled(TaskEntry entry) {
        return matcher.takeFromPages(entry);
    }

    @Override
    void keepRemembered(TaskEntry entry) {
        pages.keepFor(entry, state.context.now());
    }

    @Override
    boolean mayBeTwin(TaskEntry entry) {
        return entry.notes().isMatched() && !Identities.isNamed(entry.position());
    }

    // ---- keys that wait for a redelivery ----

    @Override
    void await(Position head, String key) {
        matcher.await(head, key);
    }

    @Override
    void abandonMissing() {
        matcher.takeAwaited().forEach((position, key) -> {
            if (!tracker.isPending(position)) {
                state.work.abandon(position, key);
            }
        });
        matcher.takeLeftovers().forEach(position -> state.work.abandon(position, null));
    }

    @Override
    boolean isAwaitingRedeliveries() {
        return matcher.isAwaiting();
    }

    @Override
    LaneOverflow overflow() {
        return lines;
    }

    // ---- outcomes and hand-overs ----

    @Override
    void willSettle(TaskEntry entry) {
        pages.assign(entry, state.context.now());
    }

    @Override
    void willHandOver(TaskEntry entry) {
        pages.assign(entry, state.context.now());
        if (entry.isTracked()) {
            entry.notes().adoptFirst(true);
        }
    }

    @Override
    boolean mayBeDelivered(TaskEntry entry) {
        return entry.awaitsRedelivery();
    }

    @Override
    boolean isDeliveryHere(TaskEntry entry) {
        return entry.isTracked();
    }

    @Override
    boolean wasSettledUnheard(TaskEntry entry) {
        return matcher.takeFromPages(entry);
    }

    /** While our channel has the message, nobody else can have taken its claim. */
    @Override
    boolean isRefusalOfRecorded(PendingOutcome outcome) {
        return outcome.isSentAgain() && outcome.succeeds();
    }

    // ---- towards the broker ----

    @Override
    void settle(Commands out) {
        List<TaskEntry> settled = tracker.takeSettled();
        if (!settled.isEmpty()) {
            settled.forEach(entry -> pages.acked(entry, state.context.now()));
            out.ack(state.partition, settled.stream().map(TaskEntry::sequence).toList());
        }
    }

    @Override
    void committed(long upTo) {
        throw new IllegalStateException("A message queue commits no offsets: " + state.partition);
    }

    @Override
    void commitFailed() {
        throw new IllegalStateException("A message queue commits no offsets: " + state.partition);
    }

    @Override
    boolean brokerAnswered(Source.Facts facts) {
        droppable = Math.max(droppable, pages.brokerAnswered());
        return false;
    }

    @Override
    long commitAt() {
        return PartitionState.NEVER;
    }

    @Override
    void trimStore(Commands out) {
        if (droppable >= 0) {
            state.send(out, new StoreRequest.RecordCommit(state.requests.next(), incarnation(), droppable), 0);
            droppable = IdentityPages.NO_PAGE;
        }
        if (pages.askNow(matcher.isCaughtUp(), state.context.now())) {
            out.confirm(state.partition);
        }
    }

    /** Nothing: what is left on pages goes with the next owner's acks. */
    @Override
    void trimStoreNow(Commands out) {}

    @Override
    long nextTurn() {
        return Math.min(pages.askAt(matcher.isCaughtUp()), lines.nextTurn());
    }

    @Override
    boolean mustSettleBeforeRelease() {
        for (TaskEntry entry : tracker.entries()) {
            boolean settles = !entry.isPending() && entry.stateNumber() != DeliveryTracker.NEVER_DURABLE;
            if (settles && !Identities.isNamed(entry.position())) {
                return true;
            }
        }
        return false;
    }
}
