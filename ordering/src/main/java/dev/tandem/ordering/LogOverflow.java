package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.ordering.tracking.OffsetSet;
import dev.tandem.ordering.tracking.TenantShares;
import dev.tandem.task.Delivery;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.Recall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The overflow of a log's partition: records that were passed over, since neither memory nor the store had room for more of
 * their key. They stay in the log, hold back the commit, and are read again once their lane has room. Memory keeps one bit for
 * each.
 *
 * <p>What is passed over of a key is always the end of what was delivered of it. So from the first record that is passed over,
 * all further records of the key are, until the last of them has been read again.
 *
 * <p>In a queue with tenants, records also wait for their tenants, which have a share of memory each ({@link TenantBursts}).
 */
final class LogOverflow implements LaneOverflow {

    private static final long NEVER = PartitionState.NEVER;

    /** A task of each full lane stays in memory, to find out when it has room, while less than this share is taken. */
    private static final int KEPT_SHARE = 4;

    /** How many offsets one recall spans at most. */
    private static final int MAX_SPAN = 65_536;
    /** A lane with fewer waiting tasks in memory has room for more. */
    static final int LOW = 256;
    /** How many tasks one recall brings. */
    private static final int MAX_RECALLED = 1_024;
    /** The share of memory that one recall may take. */
    private static final int MEMORY_SHARE = 8;

    private static final long BUSY_CHECK_MILLIS = 20;

    private final PartitionState state;
    private final LogTracker tracker;
    /** All offsets below it were delivered once. */
    private final LongSupplier passed;
    /** Former owners may have begun tasks below this offset. No task that was offered since may precede them. */
    private final LongSupplier begunUpTo;

    private final OverflowKeys keys;
    /** Tenants of which records were passed over. Null if there are no tenants. */
    private final @Nullable TenantBursts bursts;
    /** Keys and tenants that have room, as far as is known. */
    private final RecallGroups groups;

    private @Nullable Recall reading;
    private long lastId;
    private long recallAt;
    private long checkAt;

    LogOverflow(PartitionState state, LogTracker tracker, LongSupplier passed, LongSupplier begunUpTo) {
        this.state = state;
        this.tracker = tracker;
        this.passed = passed;
        this.begunUpTo = begunUpTo;
        FairPolicy fair = state.context.policy.starts().fair();
        TenantShares shares = tracker.shares();
        this.bursts = fair == null || shares == null ? null : new TenantBursts(state, fair, shares, passed);
        this.groups = new RecallGroups(fair);
        this.keys = new OverflowKeys(state.lanes, groups, bursts);
        state.lanes.onTouch(this::touched);
    }

    void clear() {
        keys.clear();
        groups.clear();
        reading = null;
        recallAt = 0;
        checkAt = 0;
    }

    /** Reads again for a key whose lane has got room. */
    private void touched(Lane lane) {
        OverflowKey key = keys.get(lane.key());
        if (key != null && lane.hasRoomFor(LOW) && key.isReadAlone()) {
            groups.add(key);
        }
    }

    @Override
    public boolean mayHavePassedOverBegun(String name) {
        return keys.hasPassedOverBelow(name, begunUpTo.getAsLong());
    }

    @Override
    public boolean isEmpty() {
        return keys.isEmpty();
    }

    @Override
    public boolean hasPassedOver() {
        return !tracker.passedOver().isEmpty();
    }

    @Override
    public boolean isPassedOver(long offset) {
        return tracker.passedOver().contains(offset);
    }

    // ---- passing over ----

    @Override
    public boolean passOver(TaskEntry entry) {
        String name = entry.key();
        if (name == null && bursts == null || !mayPassOver(entry)) {
            return false;
        }
        OverflowKey key = keys.find(name);
        Lane lane = state.lanes.find(name);
        boolean full = lane != null && lane.isFull() && lane.waitingCount() >= kept(entry) && keys.mayKnow(name);
        boolean byKey = key != null ? entry.offset() >= key.from() : full;
        boolean byTenant = waitsForTenant(entry);
        boolean over = (byKey || byTenant) && !isBeforeOthers(lane, entry);
        if (over) {
            note(entry, byKey && (key == null || key.readWith() == null), byTenant);
        }
        return over;
    }

    private boolean waitsForTenant(TaskEntry entry) {
        return bursts != null
                && (bursts.holding(entry) != null || bursts.begins(entry))
                && keys.mayWaitForTenant(entry);
    }

    /** Whether others of the key, which come after this one, wait in memory: then so does this one. */
    private boolean isBeforeOthers(@Nullable Lane lane, TaskEntry entry) {
        return bursts != null && lane != null && lane.hasDeliveredBehind(entry.offset());
    }

    /** Passes over what waits in memory at the end of the lane. */
    @Override
    public void laneIsFull(Lane lane) {
        long begun = begunUpTo.getAsLong();
        TaskEntry first = lane.peek();
        List<TaskEntry> shed = lane.takeLast(
                first == null ? 0 : kept(first),
                (entry, offeredBehind) -> mayShed(entry) && !(offeredBehind && entry.offset() < begun));
        for (TaskEntry entry : shed) {
            note(entry, true, bursts != null && bursts.holding(entry) != null);
        }
        OverflowKey key = keys.get(lane.key());
        if (key != null) {
            key.hadNoRoom();
            groups.remove(key);
        }
    }

    private int kept(TaskEntry entry) {
        boolean one = tracker.pending() < state.context.policy.maxInMemory() / KEPT_SHARE
                && (bursts == null || bursts.mayKeepOne(entry));
        return one ? 1 : 0;
    }

    /** Passes over the last tasks of tenants that have more than their share, if memory is full. */
    private void clearExcess() {
        if (bursts == null || !bursts.mustClear()) {
            return;
        }
        Predicate<TaskEntry> mayGo = entry -> mayPassOver(entry) && keys.mayWaitForTenant(entry);
        for (TaskEntry entry : bursts.takeExcess(mayGo, begunUpTo.getAsLong())) {
            note(entry, false, true);
            // Records of its keys that were passed over before may wait for it now.
            OverflowKey tenant = bursts.of(entry);
            tenant.reaches(passed.getAsLong() - 1);
            groups.remove(tenant);
        }
    }

    private void note(TaskEntry entry, boolean byKey, boolean byTenant) {
        keys.note(entry, byKey, byTenant, reading == null ? 0 : reading.upTo());
        tracker.passOver(entry);
    }

    private boolean mayShed(TaskEntry entry) {
        String name = entry.key();
        return name != null && mayPassOver(entry) && keys.mayKnow(name);
    }

    /** A task that goes before all others of its key has its place, and the store has others already. */
    private boolean mayPassOver(TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        boolean first = entry.order() == 0 || lane != null && lane.isHead(entry.position());
        return entry.isTracked() && entry.isPending() && !entry.isInStore() && !entry.isDoubtful() && !first;
    }

    // ---- reading again ----

    @Override
    public void recall(Commands out) {
        if (bursts != null) {
            clearExcess();
            bursts.withRoom(groups::add);
        }
        if (reading != null || keys.isEmpty() || state.now() < nextTurn()) {
            return;
        }
        if (!hasMemory() || !state.lanes.admitsFresh()) {
            recallAt = state.now() + state.settings.probeMillis();
            checkAt = Math.max(checkAt, recallAt);
            return;
        }
        if (state.now() >= checkAt) {
            checkAt = state.now() + state.settings.probeMillis();
            keys.tryForgottenLanes();
        }
        if (!groups.isEmpty() && state.now() >= recallAt) {
            send(out, tracker.passedOver().next(groups.begin()));
        }
    }

    private void send(Commands out, long first) {
        if (first == OffsetSet.NONE) {
            // Nothing is left of them: the last records have gone from the log.
            groups.reading().forEach(keys::isOver);
            return;
        }
        if (bursts != null) {
            bursts.ask(groups::reads);
        }
        int span = (int) Math.min(MAX_SPAN, passed.getAsLong() - first);
        reading = new Recall(
                ++lastId,
                first,
                first + span,
                tracker.passedOver().range(first, span),
                groups::wants,
                groups.tasksToAskFor(first + span, MAX_RECALLED),
                Math.max(1, state.context.policy.maxBytesInMemory() / MEMORY_SHARE));
        out.recall(state.partition, reading);
    }

    /** Whether there is memory to read into. A share of it is for this alone, so that fresh deliveries never prevent it. */
    private boolean hasMemory() {
        int tasks = state.context.policy.maxInMemory();
        long bytes = state.context.policy.maxBytesInMemory();
        return !state.isOverBudget(1)
                && tracker.pending() < tasks + tasks / MEMORY_SHARE
                && tracker.bytes() < bytes + bytes / MEMORY_SHARE;
    }

    @Override
    public void recalled(long id, Collection<Delivery> deliveries, long next, DeliveryRouter router) {
        Recall recall = reading;
        if (recall == null || recall.id() != id) {
            return;
        }
        reading = null;
        if (!state.ownership.isOwned() || !state.gate.delivers()) {
            return;
        }
        recallAt = state.now() + Math.min(BUSY_CHECK_MILLIS, state.settings.probeMillis());
        List<TaskEntry> taken = new ArrayList<>();
        Set<OverflowKey> ofKeys = new LinkedHashSet<>();
        Set<OverflowKey> stalled = new LinkedHashSet<>();
        for (Delivery delivery : deliveries) {
            TaskEntry entry = router.entry(delivery);
            OverflowKey key = isPassedOver(entry.offset()) ? keys.readerOf(entry) : null;
            if (key == null || !groups.reads(key)) {
                continue;
            }
            if (!mayTake(key)) {
                stalled.add(key);
                stall(key, entry.offset());
                continue;
            }
            key.took(entry.requireTask().publishedAt());
            ofKeys.add(key);
            taken.add(entry);
            tracker.recalled(entry);
            keys.took(entry, key);
        }
        groups.advance(next);
        keys.endTenants();
        stalled.stream().filter(key -> !key.isTenant).forEach(groups::add);
        for (TaskEntry entry : taken) {
            entry.cameAt(state.now());
            router.route(entry);
        }
        ofKeys.forEach(this::tookAll);
    }

    private boolean mayTake(OverflowKey key) {
        return bursts != null && key.isTenant ? bursts.mayTake(key) : key.mayTake();
    }

    /** Reads no more of a key behind a record for which there was no room. */
    private void stall(OverflowKey key, long offset) {
        groups.remove(key);
        key.from(offset);
    }

    private void tookAll(OverflowKey key) {
        key.tookAll();
        Lane lane = key.isTenant ? null : state.lanes.find(key.name);
        boolean full = key.isTenant ? !mayTake(key) : lane != null && !lane.hasRoomFor(LOW);
        if (full) {
            groups.remove(key);
        }
    }

    /** Forgets all below the log's start. Looks at all keys, since Kafka deletes whole segments now and then. */
    @Override
    public void deleted(long id, long logStart) {
        if (reading != null && reading.id() == id) {
            tracker.passedOver().removeBelow(logStart);
            keys.deletedBelow(logStart);
        }
    }

    @Override
    public void recallFailed(long id) {
        if (reading != null && reading.id() == id) {
            reading = null;
            recallAt = state.now() + state.settings.retryMillis();
        }
    }

    @Override
    public Overflow count() {
        return keys.count(tracker.passedOver().size());
    }

    /** When {@link #recall} has something to do without any event. */
    long nextTurn() {
        if (keys.isEmpty() || reading != null) {
            return NEVER;
        }
        return groups.isEmpty() ? checkAt : Math.min(checkAt, recallAt);
    }
}
