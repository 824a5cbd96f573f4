package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.QueueTracker;
import dev.tandem.ordering.tracking.TenantShares;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.Position;
import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest.Move.JoinLine;
import dev.tandem.task.store.StoreRequest.Move.Park;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a message queue's tenants, in the store. What a tenant has beyond its share of the prefetch goes there, so that
 * the broker delivers what is behind it. A few tasks of each line are read at a time and wait in memory, where tenants take
 * turns.
 *
 * <p>Of a key only a task that nothing waits before joins a line. Then the key is blocked by it, and those behind it are parked
 * as behind any head. So lines have no part in the order of keys.
 */
final class TenantLines implements LaneOverflow {

    /** How many tasks of all lines wait in memory. */
    static final int MAX_HERE = 256;
    /** How many lines may be begun. What further tenants have too much of waits in memory. */
    private static final int MAX_LINES = 1_000;
    /**
     * The window of the shares is one in so many of the prefetch, of which tenants share half: an eighth (ADR 80). What is put
     * aside takes places of the prefetch for a while.
     */
    static final int WINDOW_PART = 4;

    /** One line, or several tenants that share it. */
    private static final class Line {
        /** Tasks that were read and are not claimed yet. */
        private final Set<Position> here = new HashSet<>();

        private int weight;
        private long after = LineRead.FRONT;
        /** Whether the store may have tasks of it behind those that were read. */
        private boolean mayHaveMore = true;
        /** Whether a task has joined since the line was asked about. */
        private boolean joined;

        private Line(int weight) {
            this.weight = weight;
        }
    }

    private final PartitionState state;
    private final QueueTracker tracker;
    /** Null if the queue has no tenants. What waits in lines from before is read all the same. */
    private final @Nullable FairPolicy fair;

    private final Map<Integer, Line> lines = new LinkedHashMap<>();
    private int findFrom = ReadLines.FIND_NONE;
    private boolean reading;
    private long checkAt;

    TenantLines(PartitionState state, QueueTracker tracker) {
        this.state = state;
        this.tracker = tracker;
        this.fair = state.context.policy.starts().fair();
    }

    /** Begins a new ownership. The places of tasks in their lines may have changed, and so may the tasks. */
    void acquired(boolean hasLines) {
        reading = false;
        findFrom = hasLines ? 0 : ReadLines.FIND_NONE;
        for (Line line : lines.values()) {
            line.after = LineRead.FRONT;
            line.mayHaveMore = true;
        }
    }

    void forget() {
        lines.clear();
        findFrom = ReadLines.FIND_NONE;
        reading = false;
    }

    // ---- joining ----

    static int lineOf(String tenant) {
        CRC32 hash = new CRC32();
        hash.update(tenant.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % ReadLines.LINES);
    }

    private static String tenantOf(FairPolicy fair, TaskEntry entry) {
        String tenant = entry.tenant();
        return tenant == null ? fair.tenantOf(entry.requireTask()) : tenant;
    }

    /** Lets what comes of a tenant join its line for as long as that has tasks: none of the tenant's tasks waits for ever. */
    @Override
    public boolean passOver(TaskEntry entry) {
        if (fair == null || lines.isEmpty()) {
            return false;
        }
        String tenant = tenantOf(fair, entry);
        Line line = lines.get(lineOf(tenant));
        boolean joins = line != null && line.mayHaveMore && mayJoin(entry) && isFirst(entry) && hasRoom(entry);
        if (joins) {
            join(entry, tenant);
        }
        return joins;
    }

    private boolean isFirst(TaskEntry entry) {
        return entry.key() == null || state.lanes.isIdle(entry.key());
    }

    /** Whether the task has no place in any order, and nobody can have begun it. */
    private boolean mayJoin(TaskEntry entry) {
        return entry.isTracked()
                && entry.isPending()
                && !entry.isInStore()
                && !entry.isDoubtful()
                && !entry.isMatched()
                && !entry.isCancelled()
                && entry.order() != 0
                && entry.priority() == 0
                && !state.late.mayHaveSettled(entry.position())
                && !state.otherClaims.mayGoOnWith(entry.key());
    }

    /** Half of the room of custody is for tasks that fail, and for delayed ones. */
    private boolean hasRoom(TaskEntry entry) {
        return hasRoom() && (entry.key() == null || state.blockedKeys.isHalfLeft());
    }

    private boolean hasRoom() {
        return state.lanes.admitsFresh() && state.room.isHalfLeft();
    }

    /** The other half is for what waits behind heads that failed: a burst does not need it, for it goes on without. */
    @Override
    public Park park() {
        int half = state.room.isHalfLeft() ? state.context.policy.maxParkedPerPartition() / 2 : 0;
        return fair == null ? ALL_ALIKE : new Park(half);
    }

    private void join(TaskEntry entry, String tenant) {
        int number = lineOf(tenant);
        if (entry.key() != null) {
            state.blockedKeys.blocksOneMore();
        }
        joined(number);
        state.work.handOver(entry, new JoinLine(number));
    }

    /** Notes that a task joins a line, or has joined it. */
    @Override
    public void joined(int number) {
        Line line = lines.computeIfAbsent(number, n -> new Line(1));
        line.joined = true;
        line.mayHaveMore = true;
    }

    // ---- making room ----

    /** Puts aside what tenants have beyond their shares, if the broker delivers no more and their tasks wait for long. */
    @Override
    public void makeRoom() {
        TenantShares shares = tracker.shares();
        if (fair == null || shares == null || state.now() < checkAt || !isFull() || !hasRoom()) {
            return;
        }
        checkAt = state.now() + state.settings.probeMillis();
        Map<String, List<TaskEntry>> waiting = new HashMap<>();
        shares.withExcess().forEach(tenant -> waiting.put(tenant, new ArrayList<>()));
        state.lanes.ready().forEachFirst(entry -> {
            List<TaskEntry> ofTenant = mayJoin(entry) ? waiting.get(tenantOf(fair, entry)) : null;
            if (ofTenant != null) {
                ofTenant.add(entry);
            }
        });
        Set<TaskEntry> unkeyed = new HashSet<>();
        waiting.forEach((tenant, entries) -> {
            entries.sort(Comparator.comparingLong(TaskEntry::order));
            if (!entries.isEmpty() && waitsForLong(tenant, entries.get(0))) {
                putAside(tenant, entries, shares.excess(tenant), unkeyed);
            }
        });
        if (!unkeyed.isEmpty()) {
            state.lanes.ready().takeOut(all -> all.removeIf(unkeyed::contains));
        }
    }

    /** Whether the broker delivers no more, or only what would not fit into memory. */
    private boolean isFull() {
        return tracker.size() >= state.context.policy.maxInMemory() || state.isOverBudget(1);
    }

    /**
     * Whether what waits takes longer than it takes to put it aside. Otherwise it is as well off in memory, and its slots are
     * better off.
     */
    private boolean waitsForLong(String tenant, TaskEntry oldest) {
        Line line = lines.get(lineOf(tenant));
        return line != null && line.mayHaveMore || state.now() - oldest.deliveredAt() >= state.timers.adoptAfter();
    }

    /** Puts aside the last of these tasks, each with those that wait behind it in its lane. */
    private void putAside(String tenant, List<TaskEntry> entries, int most, Set<TaskEntry> unkeyed) {
        int left = most;
        for (int i = entries.size() - 1; i >= 0 && left > 0; i--) {
            TaskEntry entry = entries.get(i);
            if (!hasRoom(entry) || lines.size() >= MAX_LINES && !lines.containsKey(lineOf(tenant))) {
                continue;
            }
            if (entry.key() == null) {
                left--;
                unkeyed.add(entry);
            } else {
                left -= state.lanes.lane(entry.key()).waitingCount();
                state.lanes.takeOut(entry);
            }
            join(entry, tenant);
            if (entry.key() != null) {
                state.lanes.touch(state.lanes.lane(entry.key()));
            }
        }
    }

    // ---- reading ----

    @Override
    public void recall(Commands out) {
        if (reading || lines.isEmpty() && findFrom == ReadLines.FIND_NONE) {
            return;
        }
        prune();
        List<LineRead> reads = nextReads();
        if (!reads.isEmpty() || findFrom != ReadLines.FIND_NONE) {
            reading = true;
            state.send(out, new ReadLines(state.requests.next(), reads, findFrom), 0);
        }
    }

    /** Forgets what does not wait here any more, and lines that are over. */
    private void prune() {
        lines.values().removeIf(line -> {
            line.here.removeIf(position -> state.lanes.offered().find(position) == null);
            return line.here.isEmpty() && !line.mayHaveMore;
        });
    }

    /** Says what is to be read of lines of which little waits here. Those that were read last come last. */
    private List<LineRead> nextReads() {
        long weights = lines.values().stream().mapToLong(line -> line.weight).sum();
        int room = MAX_HERE
                - lines.values().stream().mapToInt(line -> line.here.size()).sum();
        boolean little = 2 * state.lanes.offered().bytes() >= state.maxOfferedBytes();
        List<LineRead> reads = new ArrayList<>();
        for (Map.Entry<Integer, Line> entry : lines.entrySet()) {
            Line line = entry.getValue();
            int have = line.here.size();
            int share = (int) Math.max(1, MAX_HERE * line.weight / weights);
            int count = Math.min(room, share - have);
            if (line.mayHaveMore && 2 * have < share && count > 0 && (have == 0 || !little)) {
                int again = line.after == LineRead.FRONT ? have : 0;
                reads.add(new LineRead(entry.getKey(), line.after, count + again));
                line.joined = false;
                room -= count;
            }
        }
        for (LineRead read : reads) {
            Line line = lines.remove(read.line());
            if (line != null) {
                lines.put(read.line(), line);
            }
        }
        return reads;
    }

    @Override
    public void linesRead(ReadLines request, StoreAnswer.LinesRead answer, Predicate<Position> isHere) {
        reading = false;
        answer.tasks().forEach(task -> take(task, isHere));
        for (LineRead read : request.lines()) {
            Line line = lines.get(read.line());
            if (line != null && !answer.more().contains(read.line())) {
                // At the end, it is looked through once more from the front: places begin anew once all lines are
                // empty.
                line.mayHaveMore = line.joined || read.after() != LineRead.FRONT;
                line.after = LineRead.FRONT;
            }
        }
        answer.found().forEach(number -> lines.computeIfAbsent(number, n -> new Line(1)));
        int found = answer.found().size();
        if (request.findFrom() != ReadLines.FIND_NONE) {
            findFrom = found == ReadLines.MAX_FOUND ? answer.found().get(found - 1) + 1 : ReadLines.FIND_NONE;
        }
    }

    private void take(StoreAnswer.LineTask task, Predicate<Position> isHere) {
        Line line = lines.computeIfAbsent(task.line(), number -> new Line(1));
        line.after = task.place();
        if (isHere.test(task.position())) {
            // After a new acquire, only this tells that its key is blocked by it.
            TaskEntry waiting = state.lanes.offered().find(task.position());
            block(waiting, task.head());
            if (waiting != null && waiting.key() != null) {
                state.lanes.touch(state.lanes.lane(waiting.key()));
            }
            return;
        }
        TaskEntry entry = state.fromStore(task.position(), task.envelope());
        entry.mayBeDeclined(false);
        entry.inLine(true);
        if (fair != null) {
            line.weight = fair.weightOf(fair.tenantOf(entry.requireTask()));
        }
        block(entry, task.head());
        line.here.add(entry.position());
        state.lanes.enterOffer(entry);
    }

    /** Lets all tasks of the key wait for its head, also those that came before it was read. */
    private void block(@Nullable TaskEntry entry, boolean isHead) {
        if (entry != null && entry.key() != null && isHead) {
            entry.placeFirst();
            state.block(entry.key(), entry.position(), BlockReason.HEAD);
        }
    }

    /** When {@link #makeRoom} has something to do without any event. */
    long nextTurn() {
        return fair != null && isFull() && hasRoom() ? checkAt : PartitionState.NEVER;
    }
}
