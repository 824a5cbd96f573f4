package dev.tandem.ordering;

import dev.tandem.ordering.lanes.RedeliveryNotes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.task.Delivery;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decisions that depend on the kind of broker: how a delivery is named and recognised, how it is known to be settled,
 * and how it is given back. A log (Kafka) names its records by their offsets. A message queue (RabbitMQ) has to recognise
 * the messages that it redelivers.
 */
abstract sealed class BrokerSide permits LogSide, QueueSide {

    static BrokerSide of(PartitionState state) {
        if (state.context.kind == Source.Kind.LOG) {
            return new LogSide(state);
        }
        return state.context.resolver() == null
                ? new OrderedQueueSide(state)
                : new UnorderedQueueSide(state, state.context.resolver());
    }

    abstract DeliveryTracker tracker();

    /**
     * Whether partitions are owned by a lease in the store alone, as in RabbitMQ, where the broker assigns none. Then the
     * channel of a process that is not the owner keeps messages from the one that is.
     */
    abstract boolean isLeased();

    // ---- assignment and ownership ----

    abstract void assigned(Source.Facts facts);

    /** The source was told to deliver, from the committed offset or the head of the queue. */
    void opened() {}

    /** The committed offset as far as it is known, for an acquire; -1 if there is none. */
    abstract long committedOffset(Source.Facts facts);

    /** Whether memory is about another incarnation of the partition than the one that was acquired. */
    abstract boolean isOtherIncarnation(StoreAnswer.Acquired acquired);

    /** Takes what the acquire says of settled positions. */
    abstract void acquired(StoreAnswer.Acquired acquired);

    /** Takes what the acquire says of positions that may be redelivered, once it is known which runs hold their claims. */
    abstract void expectRedeliveries(StoreAnswer.Acquired acquired, boolean restarted);

    /** Recognises deliveries that are to be routed again as what this process runs or has run. */
    abstract void recognise(List<TaskEntry> routeAgain, StoreAnswer.Acquired acquired);

    /** Hands over runs whose message may be redelivered to another partition, before the first delivery. */
    void handOverBeforeOpening() {}

    /** Whether this process or the store may know an offset from this one on. Logs only. */
    boolean knowsFrom(long offset) {
        return false;
    }

    /** The log was cut at this offset, which the next acquire must tell the store. Logs only. */
    void cutAt(long offset) {}

    /**
     * Returns the lowest offset at which the position of a run here names another record by now, because the store forgot that
     * the log was cut; -1 if there is none. Logs only.
     */
    long lowestLost() {
        return -1;
    }

    /** Where the log was cut, as far as the store does not durably know it. */
    LogCut cut() {
        return new LogCut();
    }

    /** Forgets this ownership. */
    abstract void forget();

    /** The incarnation that requests name. */
    abstract Incarnation incarnation();

    /** One above the highest offset that any request named. */
    abstract long highWater();

    // ---- deliveries ----

    /** Makes an entry of a delivery, under the position that it has or had before. */
    abstract TaskEntry entry(Delivery delivery, @Nullable String key, long order);

    /** Notes for an entry that was not delivered. Null in a log. */
    abstract @Nullable RedeliveryNotes newNotes();

    /** The offset of a task that the store gave, if the store can set its bit; else {@link TaskEntry#NO_OFFSET}. */
    abstract long offsetOf(Position position);

    /** The offset of a run's task, if the store can set its bit; else {@link TaskEntry#NO_OFFSET}. */
    long offsetOf(Run run) {
        return run.sequence();
    }

    /** Whether the broker says that it never delivered this message before. Always false in a log, which names its records. */
    boolean isSurelyNew(TaskEntry entry) {
        return false;
    }

    /** Notes that all positions below {@code next} were delivered, or will not be. */
    abstract void deliveredUpTo(long next);

    /** All that earlier channels left unacked was delivered. */
    void caughtUp() {}

    /** Whether the broker never delivered this to a former owner, so that all it may have begun was delivered before. */
    abstract boolean isFirstDelivery(Delivery delivery);

    /** Whether the broker may still have to deliver what a former owner began. */
    abstract boolean mayDeliverBegunTasks();

    /** Holds a delivery back until it is known what it was. @return whether it is held back */
    boolean holdBack(TaskEntry entry, DeliveryRouter router) {
        return false;
    }

    /** Notes that a delivery is about to be routed. */
    void routing(TaskEntry entry) {}

    /** Takes the key that waits for this delivery, null if none does. */
    @Nullable
    String takeKeyAwaiting(TaskEntry entry) {
        return null;
    }

    /** Whether the store said that the task of this delivery is settled. A message is found once. */
    abstract boolean takeSettled(TaskEntry entry);

    /** The request in which the position of this delivery was settled in this ownership before it was delivered, or null. */
    @Nullable
    Long takeSettledBeforeDelivery(TaskEntry entry) {
        return null;
    }

    /** Keeps what the store remembers of a settled delivery until its ack has arrived. */
    void keepRemembered(TaskEntry entry) {}

    /** Whether the delivery was matched with a running task, but may be another message with the same content. */
    boolean mayBeTwin(TaskEntry entry) {
        return false;
    }

    /** Whether the store knows that the waiting entry is settled. */
    boolean isSettledInStore(TaskEntry entry) {
        return false;
    }

    // ---- keys that wait for a delivery ----

    /** Lets a blocked key wait for the delivery of its head. */
    abstract void await(Position head, String key);

    /** Abandons positions that will not be delivered any more. */
    abstract void abandonMissing();

    /** Whether keys wait for offsets, so that deliveries must go on though lanes are full. */
    boolean isAwaitingOffsets() {
        return false;
    }

    /** Abandons the first offset that a key waits for, since there is no room to read up to it. */
    void abandonFirstAwaited() {}

    /** Whether keys wait for a redelivery, so that deliveries must go on however full memory is. */
    boolean isAwaitingRedeliveries() {
        return false;
    }

    /** Where tasks wait for which their lanes have no room. */
    LaneOverflow overflow() {
        return LaneOverflow.NONE;
    }

    // ---- outcomes and hand-overs ----

    /** Notes that the next request settles the entry. */
    void willSettle(TaskEntry entry) {}

    /** Notes that the next request hands the entry over. */
    void willHandOver(TaskEntry entry) {}

    /** Notes that a position was settled that may still be delivered in this ownership. */
    void settledBeforeDelivery(TaskEntry entry, long requestNumber) {}

    /** Whether a task that ended without a delivery may still be delivered to this process. */
    abstract boolean mayBeDelivered(TaskEntry entry);

    /** Whether the delivery is still ours to route, when the store does not know its position. */
    abstract boolean isDeliveryHere(TaskEntry entry);

    /** Whether an earlier request settled the delivery though its answer was missed. */
    boolean wasSettledUnheard(TaskEntry entry) {
        return false;
    }

    /** Whether a refused outcome must have been recorded the first time it was sent. */
    boolean isRefusalOfRecorded(PendingOutcome outcome) {
        return false;
    }

    /** Whether the store's bit tells, after an acquire, if the hand-over of this delivery was applied. */
    boolean isHandOverToldByBit(TaskEntry entry) {
        return false;
    }

    /** Lets the key wait for its head, whose claim was given back: the store may have forgotten its envelope. */
    void awaitReturned(TaskEntry entry, DeferredTasks deferred) {}

    // ---- towards the broker ----

    /** Commits or acks what is settled. */
    abstract void settle(Commands out);

    abstract void committed(long upTo);

    /** Notes that all requests up to this number are durable. */
    void durable(long upTo) {}

    abstract void commitFailed();

    /**
     * Notes that the broker answered {@link Commands#confirm} while the partition is owned. Returns whether the log was cut
     * where it ends.
     */
    abstract boolean brokerAnswered(Source.Facts facts);

    /** When a commit is due; never in a message queue. */
    abstract long commitAt();

    /** Lets the store forget what the broker has forgotten. */
    abstract void trimStore(Commands out);

    /** Does the same for the last time in this ownership, without delay. */
    abstract void trimStoreNow(Commands out);

    /** When {@link #settle} or {@link #trimStore} has something to do without any event. */
    abstract long nextTurn();

    /** Whether the partition must not be released yet: messages that could not be recognised are settled and acked
     * first, and the store must durably know of a cut. */
    boolean mustSettleBeforeRelease() {
        return false;
    }
}
