package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.ownership.Ownership;
import dev.tandem.ordering.requests.LateOutcomes;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.ordering.requests.RequestLog;
import dev.tandem.ordering.tracking.DeliveryTracker;
import dev.tandem.ordering.tracking.DurabilityTracker;
import dev.tandem.ordering.tracking.TenantShares;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest;
import org.jspecify.annotations.Nullable;

/** The state of one partition in one process. Each part guards its own fields; the few steps here span several parts. */
final class PartitionState {

    static final long NEVER = Long.MAX_VALUE;

    /** How many tasks that the store offered may wait here. */
    static final int MAX_OFFERED = 1_000;
    /** The part of the bytes in memory that offered tasks may take: one in this many. */
    private static final int OFFERED_SHARE = 4;

    final Partition partition;
    final QueueContext context;
    final CoreSettings settings;
    final Ownership ownership;
    final DeliveryGate gate = new DeliveryGate();
    final Lanes lanes;
    final ActiveRuns active = new ActiveRuns();
    final RunLifecycle runs;
    final Rows rows;
    final OtherClaims otherClaims = new OtherClaims();
    final ReturnedClaims returnedClaims = new ReturnedClaims();
    final CustodyRoom room;
    final PendingWork work;
    final BlockedKeyCount blockedKeys;
    final Cancellations cancellations;
    final RequestLog requests;
    final LateOutcomes late;
    final DurabilityTracker durability;
    final RequestTimers timers;
    final TokenClock tokens;
    final BrokerSide broker;

    private long arrivals;

    PartitionState(Partition partition, QueueContext context, String writer) {
        this.partition = partition;
        this.context = context;
        this.settings = context.settings;
        this.lanes =
                new Lanes(settings.rememberedKeys(), context.policy.starts().fair(), otherClaims::mayGoOnWith);
        this.work = new PendingWork(lanes);
        this.blockedKeys = new BlockedKeyCount(context.policy.maxBlockedKeys());
        this.ownership = new Ownership(partition);
        this.room = new CustodyRoom(context.custody);
        this.requests = new RequestLog(partition, writer);
        this.late = new LateOutcomes(partition);
        this.durability = new DurabilityTracker(settings.horizonMillis());
        this.timers = new RequestTimers(context);
        this.tokens = new TokenClock(context);
        this.broker = BrokerSide.of(this);
        this.runs = new RunLifecycle(this);
        this.rows = new Rows(runs.relays::stop);
        this.cancellations = new Cancellations(this);
    }

    long now() {
        return context.now();
    }

    DeliveryTracker tracker() {
        return broker.tracker();
    }

    // ---- counters ----

    /** Returns the next place in the order in which tasks come in. */
    long nextArrival() {
        return ++arrivals;
    }

    long lastArrival() {
        return arrivals;
    }

    // ---- entries ----

    /** Makes an entry of a task that the store gave. */
    TaskEntry fromStore(Position position, byte[] bytes) {
        Envelope envelope = Envelope.decode(partition.queue(), bytes);
        TaskEntry entry = new TaskEntry(
                position,
                context.keyOf(envelope.task()),
                TaskEntry.NOT_DELIVERED,
                broker.offsetOf(position),
                nextArrival(),
                envelope.task(),
                null,
                envelope.attempts(),
                true,
                broker.newNotes());
        // It waited for its time, or an operator retries it: in neither case has it had a place in its lane.
        boolean anew = envelope.task().notBefore() > 0 || envelope.token() != 0 || envelope.error() != null;
        entry.mayBeDeclined(anew && envelope.attempts() == 0);
        entry.cameAt(now());
        return entry;
    }

    /** Makes an entry of a task that runs or ran here, and that has no delivery in this ownership. */
    TaskEntry ofRun(Run run, @Nullable String key) {
        return new TaskEntry(
                run.position(),
                key,
                TaskEntry.NOT_DELIVERED,
                broker.offsetOf(run),
                0,
                run.task(),
                null,
                run.attempt() - 1,
                true,
                broker.newNotes());
    }

    /** Lets a running task settle the delivery that came again. */
    void attach(ActiveRun running, TaskEntry delivered) {
        Lane lane = lanes.find(delivered.key());
        TaskEntry old = running.entry();
        if (lane != null && old != null) {
            lane.replaceBusy(old, delivered);
        }
        running.entry(delivered);
        running.awaitsRedelivery(false);
    }

    /** Lets an outcome settle the delivery that came again. */
    void attach(PendingOutcome ending, TaskEntry delivered) {
        Lane lane = lanes.find(delivered.key());
        if (lane != null) {
            lane.replaceBusy(ending.entry(), delivered);
        }
        ending.attach(delivered);
    }

    /** Lets a task wait in memory for its turn, where it was before it was claimed. The store will have it. */
    void waitInPlace(TaskEntry entry) {
        if (entry.key() != null) {
            lanes.reenter(entry.withoutDelivery(broker.newNotes()));
        }
    }

    /**
     * Whether the store offers a returned task again by itself: it is due at once, unless it must keep its place in an open
     * lane.
     */
    boolean isOfferedAgain(TaskEntry entry) {
        Lane lane = lanes.find(entry.key());
        return entry.isInStore() && (lane == null || lane.isHead(entry.position()));
    }

    // ---- leases ----

    /**
     * Until when a lease is certainly held that was asked for at {@code askedAt}. The store counts its own whole
     * milliseconds, which begin at another moment than ours, so its lease may end up to one millisecond earlier.
     */
    long leasedUntil(long askedAt) {
        return askedAt + settings.leaseMillis() - 1;
    }

    // ---- memory ----

    /**
     * Whether memory is full.
     *
     * @param share of the bounds that is to be looked at: 2 for half
     */
    boolean isFull(int share) {
        return tracker().pending() >= Math.max(1, context.policy.maxInMemory() / share)
                || tracker().bytes() >= context.policy.maxBytesInMemory() / share;
    }

    /** Makes the shares of tenants in a part of memory: one in so many. Null if there are no tenants. */
    @Nullable
    TenantShares newShares(int part) {
        return TenantShares.of(
                context.policy.starts().fair(),
                context.policy.maxInMemory() / part,
                () -> Math.min(context.policy.maxBytesInMemory(), context.memoryBound()) / part);
    }

    /** How many bytes the tasks may take that the store offered and that wait here. */
    long maxOfferedBytes() {
        return context.policy.maxBytesInMemory() / OFFERED_SHARE;
    }

    /** Whether memory holds more than this partition may have besides the others of the process. {@code share}: as above. */
    boolean isOverBudget(int share) {
        return tracker().bytes() >= context.memoryBound() / share;
    }

    // ---- keys ----

    /**
     * Whether a task may be started that blocks a further key if it fails. While a key waits for a delivery, those before it
     * must make room.
     */
    boolean mayBlockKeys() {
        return !blockedKeys.isAtBound() || broker.isAwaitingOffsets() || broker.isAwaitingRedeliveries();
    }

    /** Blocks a key by its head. {@code reason}: null if it is not known. */
    void block(String key, Position head, @Nullable BlockReason reason) {
        rows.stop(key);
        Lane lane = lanes.lane(key);
        if (!lane.isBlocked()) {
            context.report(new CoreEvent.KeyBlocked(partition, key, reason, head));
        }
        lane.block(head);
        if (reason != null) {
            boolean inStore = reason == BlockReason.HEAD || reason == BlockReason.HALTED;
            lane.keepsHead(!inStore || otherClaims.mayGoOnWith(key));
        } else if (otherClaims.mayGoOnWith(key)) {
            lane.keepsHead(true);
        }
        lanes.changed(lane);
    }

    /** Opens a key, if it is blocked. */
    void open(Lane lane, @Nullable String key) {
        if (lane.isBlocked() && key != null) {
            context.report(new CoreEvent.KeyOpened(partition, key));
        }
        lane.open();
        lanes.changed(lane);
    }

    // ---- requests ----

    void send(Commands out, StoreRequest.OwnerRequest request, int slots) {
        requests.sent(RequestLog.Sent.plain(request, slots, now(), lastArrival()));
        context.slots.asked(slots);
        out.send(request);
    }
}
