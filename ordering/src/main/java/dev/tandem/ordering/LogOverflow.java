package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.ordering.tracking.OffsetSet;
import dev.tandem.task.Delivery;
import dev.tandem.task.Recall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The overflow of a log's partition: records that were passed over, since neither memory nor the store had room for more of
 * their key. They stay in the log, hold back the commit, and are read again once their lane has room. Memory keeps one bit for
 * each.
 *
 * <p>What is passed over of a key is always the end of what was delivered of it. So from the first record that is passed over,
 * all further records of the key are, until the last of them has been read again.
 */
final class LogOverflow implements LaneOverflow {

    private static final long NEVER = PartitionState.NEVER;

    /** How many keys may overflow. Records of further keys wait in memory, which may pause the partition. */
    private static final int MAX_KEYS = 100_000;
    /** A task of each full lane stays in memory, to find out when it has room, while less than this share is taken. */
    private static final int KEPT_SHARE = 4;

    /** How many offsets one recall spans at most. */
    private static final int MAX_SPAN = 65_536;
    /** A lane with fewer waiting tasks in memory has room for more. */
    private static final int LOW = 256;
    /** How many tasks one recall brings. */
    private static final int MAX_RECALLED = 1_024;
    /** How many keys one check looks at, and how many of them it tries. */
    private static final int MAX_CHECKED = 1_000;

    private static final int MAX_TRIED = 64;
    /** The share of memory that one recall may take. */
    private static final int MEMORY_SHARE = 8;

    private static final long BUSY_CHECK_MILLIS = 20;

    private final PartitionState state;
    private final LogTracker tracker;
    /** All offsets below it were delivered once. */
    private final LongSupplier passed;
    /** Former owners may have begun tasks below this offset. No task that was offered since may precede them. */
    private final LongSupplier begunUpTo;
    /** In the order in which they are looked at for a lane that memory has forgotten. */
    private final Map<String, OverflowKey> keys = new LinkedHashMap<>();
    /** Keys that have room, as far as is known. */
    private final RecallGroups groups = new RecallGroups();

    private @Nullable Recall reading;
    private long lastId;
    private long recallAt;
    private long checkAt;

    LogOverflow(PartitionState state, LogTracker tracker, LongSupplier passed, LongSupplier begunUpTo) {
        this.state = state;
        this.tracker = tracker;
        this.passed = passed;
        this.begunUpTo = begunUpTo;
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
        OverflowKey key = keys.isEmpty() ? null : keys.get(lane.key());
        if (key != null && lane.hasRoomFor(LOW)) {
            groups.add(key);
        }
    }

    @Override
    public boolean mayHavePassedOverBegun(String name) {
        OverflowKey key = keys.get(name);
        return key != null && key.from() < begunUpTo.getAsLong();
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
        if (name == null || !mayPassOver(entry)) {
            return false;
        }
        OverflowKey key = keys.get(name);
        Lane lane = state.lanes.find(name);
        boolean over = key != null
                ? entry.offset() >= key.from()
                : lane != null && lane.isFull() && lane.waitingCount() >= kept() && keys.size() < MAX_KEYS;
        if (over) {
            note(name, entry);
        }
        return over;
    }

    /** Passes over what waits in memory at the end of the lane. */
    @Override
    public void laneIsFull(Lane lane) {
        long begun = begunUpTo.getAsLong();
        List<TaskEntry> shed = lane.takeLast(
                kept(), (entry, offeredBehind) -> mayShed(entry) && !(offeredBehind && entry.offset() < begun));
        for (TaskEntry entry : shed) {
            String name = entry.key();
            if (name != null) {
                note(name, entry);
            }
        }
        OverflowKey key = keys.get(lane.key());
        if (key != null) {
            key.hadNoRoom();
            groups.remove(key);
        }
    }

    private int kept() {
        return tracker.pending() < state.context.policy.maxInMemory() / KEPT_SHARE ? 1 : 0;
    }

    private void note(String name, TaskEntry entry) {
        OverflowKey key = keys.computeIfAbsent(name, fresh -> new OverflowKey(name, entry.offset()));
        boolean lower = entry.offset() < key.from();
        if (lower || reading != null && entry.offset() < reading.upTo()) {
            // A recall that has been sent does not look for it.
            boolean hasRoom = groups.contains(key);
            groups.remove(key);
            key.from(Math.min(key.from(), entry.offset()));
            if (hasRoom) {
                groups.add(key);
            }
        }
        key.passedOver(entry.offset(), entry.requireTask().publishedAt());
        tracker.passOver(entry);
    }

    private boolean mayShed(TaskEntry entry) {
        String name = entry.key();
        return name != null && mayPassOver(entry) && (keys.containsKey(name) || keys.size() < MAX_KEYS);
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
            tryForgottenLanes();
        }
        if (!groups.isEmpty() && state.now() >= recallAt) {
            send(out, tracker.passedOver().next(groups.begin()));
        }
    }

    private void send(Commands out, long first) {
        if (first == OffsetSet.NONE) {
            // Nothing is left of them: the last records have gone from the log.
            groups.reading().forEach(this::isOver);
            return;
        }
        int span = (int) Math.min(MAX_SPAN, passed.getAsLong() - first);
        reading = new Recall(
                ++lastId,
                first,
                first + span,
                tracker.passedOver().range(first, span),
                groups.names(),
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

    /**
     * Reads again for some keys that no lane is in memory of: a blocked key without tasks in memory may be forgotten, and then
     * nothing tells that it has got room.
     */
    private void tryForgottenLanes() {
        List<OverflowKey> looked = new ArrayList<>();
        int tried = 0;
        Iterator<OverflowKey> each = keys.values().iterator();
        while (each.hasNext() && looked.size() < MAX_CHECKED && tried < MAX_TRIED) {
            OverflowKey key = each.next();
            each.remove();
            looked.add(key);
            if (state.lanes.find(key.name) == null && !groups.contains(key)) {
                groups.add(key);
                tried++;
            }
        }
        looked.forEach(key -> keys.put(key.name, key));
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
            OverflowKey key = keys.get(entry.key());
            if (key == null || !groups.reads(key) || !tracker.passedOver().contains(entry.offset())) {
                continue;
            }
            if (!key.mayTake()) {
                stalled.add(key);
                stall(key, entry.offset());
                continue;
            }
            key.took(entry.requireTask().publishedAt());
            ofKeys.add(key);
            taken.add(entry);
            if (entry.offset() == key.last()) {
                isOver(key);
            }
        }
        groups.advance(next);
        stalled.forEach(groups::add);
        for (TaskEntry entry : taken) {
            entry.deliveredAt(state.now());
            tracker.recalled(entry);
            router.route(entry);
        }
        ofKeys.forEach(this::tookAll);
    }

    /** Reads no more of a key behind a record for which there was no room. */
    private void stall(OverflowKey key, long offset) {
        groups.remove(key);
        key.from(offset);
    }

    private void tookAll(OverflowKey key) {
        key.tookAll();
        Lane lane = state.lanes.find(key.name);
        if (lane != null && !lane.hasRoomFor(LOW)) {
            groups.remove(key);
        }
    }

    /** All of the key was read again. */
    private void isOver(OverflowKey key) {
        groups.remove(key);
        keys.remove(key.name);
    }

    /** Forgets all below the log's start. Looks at all keys, since Kafka deletes whole segments now and then. */
    @Override
    public void deleted(long id, long logStart) {
        if (reading == null || reading.id() != id) {
            return;
        }
        tracker.passedOver().removeBelow(logStart);
        for (OverflowKey key : List.copyOf(keys.values())) {
            if (key.last() < logStart) {
                isOver(key);
            }
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
        long oldest =
                keys.values().stream().mapToLong(OverflowKey::publishedAt).min().orElse(Long.MAX_VALUE);
        return new Overflow(tracker.passedOver().size(), keys.size(), oldest);
    }

    /** When {@link #recall} has something to do without any event. */
    long nextTurn() {
        if (keys.isEmpty() || reading != null) {
            return NEVER;
        }
        return groups.isEmpty() ? checkAt : Math.min(checkAt, recallAt);
    }
}
