package dev.tandem.ordering;

import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.ordering.tracking.OffsetSet;
import dev.tandem.task.Delivery;
import dev.tandem.task.Recall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
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
    /** How many tasks of a key are read again at once: few at first, more each time the lane had room for all of them. */
    private static final int MIN_RECALLED = 4;

    private static final int MAX_RECALLED = 1_024;
    /** How many keys one check looks at, and one recall reads. */
    private static final int MAX_CHECKED = 1_000;

    private static final int MAX_KEYS_RECALLED = 64;
    /** The share of memory that one recall may take. */
    private static final int MEMORY_SHARE = 8;

    private static final long BUSY_CHECK_MILLIS = 20;

    /** The records of one key that were passed over. */
    private static final class Key {
        /** No record below it is passed over. */
        private long from;
        /** The last record that is passed over. */
        private long last;

        private int atOnce = MIN_RECALLED;
        /** When the first of them was published, in epoch milliseconds: at the latest known, or before. */
        private long publishedAt = Long.MAX_VALUE;

        Key(long offset) {
            from = offset;
            last = offset;
        }

        void passedOver(long offset) {
            from = Math.min(from, offset);
            last = Math.max(last, offset);
        }
    }

    private final PartitionState state;
    private final LogTracker tracker;
    /** All offsets below it were delivered once. */
    private final LongSupplier passed;
    /** Former owners may have begun tasks below this offset. No task that was offered since may precede them. */
    private final LongSupplier begunUpTo;
    /** In the order in which they are looked at for room. */
    private final Map<String, Key> keys = new LinkedHashMap<>();

    private @Nullable Recall reading;
    /** The keys of the recall, without those of which more was passed over since: it does not look for that. */
    private final Set<String> asked = new HashSet<>();

    private long lastId;
    private long checkAt;

    LogOverflow(PartitionState state, LogTracker tracker, LongSupplier passed, LongSupplier begunUpTo) {
        this.state = state;
        this.tracker = tracker;
        this.passed = passed;
        this.begunUpTo = begunUpTo;
    }

    void clear() {
        keys.clear();
        asked.clear();
        reading = null;
        checkAt = 0;
    }

    @Override
    public boolean mayHavePassedOverBegun(String name) {
        Key key = keys.get(name);
        return key != null && key.from < begunUpTo.getAsLong();
    }

    @Override
    public boolean isEmpty() {
        return keys.isEmpty();
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
        Key key = keys.get(name);
        Lane lane = state.lanes.find(name);
        boolean over = key != null
                ? entry.offset() >= key.from
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
                keys.get(name).atOnce = MIN_RECALLED;
            }
        }
    }

    private int kept() {
        return tracker.pending() < state.context.policy.maxInMemory() / KEPT_SHARE ? 1 : 0;
    }

    private void note(String name, TaskEntry entry) {
        Key key = keys.computeIfAbsent(name, fresh -> new Key(entry.offset()));
        if (entry.offset() < key.from || reading != null && entry.offset() < reading.upTo()) {
            asked.remove(name);
        }
        key.passedOver(entry.offset());
        key.publishedAt = Math.min(key.publishedAt, entry.requireTask().publishedAt());
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
        if (reading != null || keys.isEmpty() || state.now() < checkAt) {
            return;
        }
        checkAt = state.now() + state.settings.probeMillis();
        if (!hasMemory() || !state.lanes.admitsFresh()) {
            return;
        }
        Map<String, Key> ready = ready();
        if (ready.isEmpty()) {
            return;
        }
        long from = ready.values().stream().mapToLong(key -> key.from).min().orElseThrow();
        long first = tracker.passedOver().next(from);
        Set.copyOf(ready.keySet()).forEach(name -> {
            if (isReadUpTo(name, first == OffsetSet.NONE ? NEVER : first)) {
                ready.remove(name);
            }
        });
        if (ready.isEmpty()) {
            return;
        }
        int most = Math.min(
                MAX_RECALLED,
                ready.values().stream().mapToInt(key -> key.atOnce).sum());
        int span = (int) Math.min(MAX_SPAN, passed.getAsLong() - first);
        reading = new Recall(
                ++lastId,
                first,
                first + span,
                tracker.passedOver().range(first, span),
                ready.keySet(),
                most,
                Math.max(1, state.context.policy.maxBytesInMemory() / MEMORY_SHARE));
        asked.addAll(ready.keySet());
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

    /** Finds keys whose lanes have room. Those that were looked at come last the next time. */
    private Map<String, Key> ready() {
        Map<String, Key> ready = new HashMap<>();
        Map<String, Key> looked = new LinkedHashMap<>();
        Iterator<Map.Entry<String, Key>> each = keys.entrySet().iterator();
        while (each.hasNext() && looked.size() < MAX_CHECKED && ready.size() < MAX_KEYS_RECALLED) {
            Map.Entry<String, Key> next = each.next();
            each.remove();
            looked.put(next.getKey(), next.getValue());
            Lane lane = state.lanes.find(next.getKey());
            if (lane == null || lane.hasRoomFor(LOW)) {
                ready.put(next.getKey(), next.getValue());
            }
        }
        keys.putAll(looked);
        return ready;
    }

    @Override
    public void recalled(long id, Collection<Delivery> deliveries, long next, DeliveryRouter router) {
        Recall recall = reading;
        if (recall == null || recall.id() != id) {
            return;
        }
        reading = null;
        if (!state.ownership.isOwned() || !state.gate.delivers()) {
            asked.clear();
            return;
        }
        checkAt = state.now() + Math.min(BUSY_CHECK_MILLIS, state.settings.probeMillis());
        Map<String, Integer> room = room(recall);
        asked.clear();
        Set<String> stalled = new HashSet<>();
        List<TaskEntry> taken = new ArrayList<>();
        for (Delivery delivery : deliveries) {
            TaskEntry entry = router.entry(delivery);
            String name = entry.key();
            if (name == null || !room.containsKey(name) || stalled.contains(name)) {
                continue;
            }
            if (!tracker.passedOver().contains(entry.offset())) {
                continue;
            }
            if (room.merge(name, -1, Integer::sum) < 0) {
                stalled.add(name);
                keys.get(name).from = entry.offset();
                continue;
            }
            keys.get(name).from = entry.offset() + 1;
            keys.get(name).publishedAt = entry.requireTask().publishedAt();
            taken.add(entry);
        }
        room.keySet().removeAll(stalled);
        room.keySet().forEach(name -> isReadUpTo(name, next));
        for (TaskEntry entry : taken) {
            entry.deliveredAt(state.now());
            tracker.recalled(entry);
            router.route(entry);
        }
    }

    /**
     * Returns how many tasks of each key may be taken. A key of which more was passed over since the recall was sent must wait
     * for the next one.
     */
    private Map<String, Integer> room(Recall recall) {
        Map<String, Integer> room = new HashMap<>();
        for (String name : asked) {
            Key key = keys.get(name);
            Lane lane = state.lanes.find(name);
            if (key != null && key.from >= recall.from() && (lane == null || !lane.isFull())) {
                room.put(name, key.atOnce);
                key.atOnce = Math.min(MAX_RECALLED, 2 * key.atOnce);
            }
        }
        return room;
    }

    /** Notes that all of the key below {@code next} was read again. @return whether that was the last of it */
    private boolean isReadUpTo(String name, long next) {
        Key key = keys.get(name);
        key.from = Math.max(key.from, next);
        boolean all = key.from > key.last;
        if (all) {
            keys.remove(name);
        }
        return all;
    }

    @Override
    public void deleted(long id, long logStart) {
        if (reading == null || reading.id() != id) {
            return;
        }
        tracker.passedOver().removeBelow(logStart);
        Set.copyOf(keys.keySet()).forEach(name -> isReadUpTo(name, logStart));
    }

    @Override
    public void recallFailed(long id) {
        if (reading != null && reading.id() == id) {
            reading = null;
            asked.clear();
            checkAt = state.now() + state.settings.retryMillis();
        }
    }

    @Override
    public Overflow count() {
        long oldest =
                keys.values().stream().mapToLong(key -> key.publishedAt).min().orElse(Long.MAX_VALUE);
        return new Overflow(tracker.passedOver().size(), keys.size(), oldest);
    }

    /** When {@link #recall} has something to do without any event. */
    long nextTurn() {
        return keys.isEmpty() || reading != null ? NEVER : checkAt;
    }
}
