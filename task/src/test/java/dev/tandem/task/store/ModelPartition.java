package dev.tandem.task.store;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a store knows of one partition, part for part as in {@code docs/store-protocol.md}. */
public final class ModelPartition {

    /** Where a position is. A task under a claim in the store's custody is {@link #CLAIMED}. */
    public enum Place {
        NOWHERE,
        SCHEDULED,
        RETRY,
        LANE,
        CLAIMED,
        DEAD
    }

    /** One claim with its lease. */
    public record ClaimResult(
            Position position, long token, @Nullable String key, String executor, long deadline) {

        ClaimResult until(long newDeadline) {
            return new ClaimResult(position, token, key, executor, newDeadline);
        }
    }

    /** An envelope with what scripts read out of it. */
    record Held(byte[] envelope, @Nullable String key, long token) {

        static Held of(String queue, byte[] envelope) {
            Envelope read = Envelope.decode(queue, envelope);
            return new Held(envelope, read.task().key(), read.token());
        }
    }

    record ClaimDue(long at, Position position) implements Comparable<ClaimDue> {
        @Override
        public int compareTo(ClaimDue other) {
            return at != other.at ? Long.compare(at, other.at) : position.text().compareTo(other.position.text());
        }
    }

    /** A sorted set of positions by due time, with the members' times. */
    static final class DueSet {
        private final TreeSet<ClaimDue> order = new TreeSet<>();
        private final Map<Position, Long> times = new HashMap<>();

        void put(Position position, long at) {
            remove(position);
            times.put(position, at);
            order.add(new ClaimDue(at, position));
        }

        boolean remove(Position position) {
            Long at = times.remove(position);
            return at != null && order.remove(new ClaimDue(at, position));
        }

        boolean has(Position position) {
            return times.containsKey(position);
        }

        long earliest() {
            return order.isEmpty() ? Long.MAX_VALUE : order.first().at;
        }

        List<ClaimDue> upTo(long now) {
            return new ArrayList<>(order.headSet(new ClaimDue(now + 1, new Position("")), false));
        }

        DueSet copy() {
            DueSet copy = new DueSet();
            copy.order.addAll(order);
            copy.times.putAll(times);
            return copy;
        }
    }

    final String queue;

    // owner
    @Nullable
    String executor;

    long epoch;
    long token;
    /** How far the line of tokens runs before the clock, in microseconds. */
    long lead;
    /** The number of the last acquire, and of the request that was applied before it and the acquires just before. */
    long acquiredAs;

    long worked;

    long leaseDeadline;
    /** Given up: the lease only keeps older generations out. */
    boolean released;

    long generation = -1;
    String runId = "";
    long quietUntil;
    long incarnation;
    String sourceId = "";
    long highWater;
    long storedCommit = -1;

    final Map<String, Long> writers = new LinkedHashMap<>();
    final Map<Position, ClaimResult> claims = new LinkedHashMap<>();
    final Map<Position, Integer> attempts = new HashMap<>();
    final Map<Position, Held> tasks = new HashMap<>();
    DueSet scheduled = new DueSet();
    DueSet retry = new DueSet();
    final Map<String, Deque<Position>> lanes = new LinkedHashMap<>();
    final Map<String, BlockedKey> blocked = new LinkedHashMap<>();
    final BitSet bits = new BitSet();
    final Map<Position, Held> dead = new LinkedHashMap<>();
    final Set<String> opened = new LinkedHashSet<>();
    Remembered remembered = new Remembered();
    long succeeded;

    ModelPartition(String queue) {
        this.queue = queue;
    }

    ModelPartition copy() {
        ModelPartition copy = new ModelPartition(queue);
        copy.executor = executor;
        copy.epoch = epoch;
        copy.token = token;
        copy.lead = lead;
        copy.acquiredAs = acquiredAs;
        copy.worked = worked;
        copy.leaseDeadline = leaseDeadline;
        copy.released = released;
        copy.generation = generation;
        copy.runId = runId;
        copy.quietUntil = quietUntil;
        copy.incarnation = incarnation;
        copy.sourceId = sourceId;
        copy.highWater = highWater;
        copy.storedCommit = storedCommit;
        copy.writers.putAll(writers);
        copy.claims.putAll(claims);
        copy.attempts.putAll(attempts);
        copy.tasks.putAll(tasks);
        copy.scheduled = scheduled.copy();
        copy.retry = retry.copy();
        lanes.forEach((key, lane) -> copy.lanes.put(key, new ArrayDeque<>(lane)));
        copy.blocked.putAll(blocked);
        copy.bits.or(bits);
        copy.dead.putAll(dead);
        copy.opened.addAll(opened);
        copy.remembered = remembered.copy();
        copy.succeeded = succeeded;
        return copy;
    }

    // What a simulation checks

    /** The executor of the latest ownership, whether its lease lives or not. */
    public @Nullable String executor() {
        return executor;
    }

    public boolean leaseLives(long now) {
        return executor != null && !released && leaseDeadline > now;
    }

    public long epoch() {
        return epoch;
    }

    public long incarnation() {
        return incarnation;
    }

    public long storedCommit() {
        return storedCommit;
    }

    public long succeeded() {
        return succeeded;
    }

    /** All claims that no settle or patrol has removed, whatever their deadline. */
    public Collection<ClaimResult> claims() {
        return claims.values();
    }

    public @Nullable ClaimResult claim(Position position) {
        return claims.get(position);
    }

    public Place place(Position position) {
        if (claims.containsKey(position)) {
            return Place.CLAIMED;
        }
        if (scheduled.has(position)) {
            return Place.SCHEDULED;
        }
        if (retry.has(position)) {
            return Place.RETRY;
        }
        Held inStore = tasks.get(position);
        if (inStore != null && inStore.key() != null && lane(inStore.key()).contains(position)) {
            return Place.LANE;
        }
        return dead.containsKey(position) ? Place.DEAD : Place.NOWHERE;
    }

    /** Whether the store has the envelope of an unfinished task. */
    public boolean holds(Position position) {
        return tasks.containsKey(position);
    }

    public Set<Position> inStore() {
        return tasks.keySet();
    }

    public Set<Position> dead() {
        return dead.keySet();
    }

    /** The envelope of a task that is held or dead. */
    public byte @Nullable [] envelope(Position position) {
        Held envelope = tasks.getOrDefault(position, dead.get(position));
        return envelope == null ? null : envelope.envelope();
    }

    public List<Position> lane(String key) {
        Deque<Position> lane = lanes.get(key);
        return lane == null ? List.of() : List.copyOf(lane);
    }

    public Set<String> lanes() {
        return lanes.keySet();
    }

    public Collection<BlockedKey> blocked() {
        return blocked.values();
    }

    public @Nullable BlockedKey blocked(String key) {
        return blocked.get(key);
    }

    public int lapses(Position position) {
        return attempts.getOrDefault(position, 0);
    }

    /** Whether it is settled and its message is certain to come again. */
    public boolean isOwed(Position position) {
        return remembered.isOwed(position);
    }

    /** Whether this offset of the current incarnation is settled: below the mirror, or its bit is set. */
    public boolean bit(long offset) {
        return offset >= 0 && (offset < storedCommit || bits.get((int) offset));
    }

    /**
     * Says what is wrong with the state in itself: each held position is in exactly one place, lanes exist only behind
     * blocked keys, the places name no position that is not held. Empty if nothing is.
     */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        Map<Position, Integer> places = new HashMap<>();
        scheduled.times.keySet().forEach(position -> places.merge(position, 1, Integer::sum));
        retry.times.keySet().forEach(position -> places.merge(position, 1, Integer::sum));
        lanes.forEach((key, lane) -> {
            lane.forEach(position -> places.merge(position, 1, Integer::sum));
            if (!lane.isEmpty() && !blocked.containsKey(key)) {
                faults.add("the lane of " + key + " has tasks, but the key is not blocked");
            }
        });
        tasks.keySet().forEach(position -> {
            int count = places.getOrDefault(position, 0) + (claims.containsKey(position) ? 1 : 0);
            if (count != 1) {
                faults.add(position + " is held in " + count + " places");
            }
        });
        places.forEach((position, count) -> {
            if (!tasks.containsKey(position)) {
                faults.add(position + " is in a place, but not held");
            }
        });
        return faults;
    }

    // Small moves that several requests share

    void setBit(long offset) {
        if (offset >= 0 && offset >= storedCommit) {
            bits.set((int) offset);
        }
    }

    void claim(Position position, long claimToken, @Nullable String key, String holder, long deadline) {
        claims.put(position, new ClaimResult(position, claimToken, key, holder, deadline));
        token = Math.max(token, claimToken);
    }

    void block(String key, BlockReason reason, Position head) {
        blocked.put(key, new BlockedKey(key, reason, head));
    }

    boolean blockedBy(@Nullable String key, Position head) {
        BlockedKey entry = key == null ? null : blocked.get(key);
        return entry != null && entry.head().equals(head);
    }

    boolean blockedByAnother(@Nullable String key, Position position) {
        BlockedKey entry = key == null ? null : blocked.get(key);
        return entry != null && !entry.head().equals(position);
    }

    /** Whether the key's head was claimed after the given claim, and still is. */
    boolean overtaken(String key, ClaimResult claim) {
        BlockedKey entry = blocked.get(key);
        ClaimResult head = entry == null ? null : claims.get(entry.head());
        return head != null && head.token() > claim.token();
    }

    void toLane(String key, Position position) {
        lanes.computeIfAbsent(key, k -> new ArrayDeque<>()).add(position);
    }

    void toLaneFront(String key, Position position) {
        lanes.computeIfAbsent(key, k -> new ArrayDeque<>()).addFirst(position);
    }

    int laneSize(String key) {
        Deque<Position> lane = lanes.get(key);
        return lane == null ? 0 : lane.size();
    }

    /** How many there are in all lanes together. */
    public int parked() {
        return lanes.values().stream().mapToInt(Deque::size).sum();
    }

    @Nullable
    Position laneHead(String key) {
        Deque<Position> lane = lanes.get(key);
        return lane == null ? null : lane.peek();
    }

    @Nullable
    Position pop(String key) {
        Deque<Position> lane = lanes.get(key);
        Position first = lane == null ? null : lane.poll();
        if (lane != null && lane.isEmpty()) {
            lanes.remove(key);
        }
        return first;
    }

    boolean takeOutOfLane(@Nullable String key, Position position) {
        Deque<Position> lane = key == null ? null : lanes.get(key);
        boolean taken = lane != null && lane.remove(position);
        if (taken && lane.isEmpty()) {
            lanes.remove(key);
        }
        return taken;
    }

    long nextDueMillis(long now) {
        long earliest = Math.min(scheduled.earliest(), retry.earliest());
        return earliest == Long.MAX_VALUE ? -1 : Math.max(0, earliest - now);
    }

    long nextLapseMillis(long now) {
        long earliest = Long.MAX_VALUE;
        for (ClaimResult claim : claims.values()) {
            earliest = Math.min(earliest, claim.deadline());
        }
        return earliest == Long.MAX_VALUE ? -1 : Math.max(0, Math.max(earliest, quietUntil) - now);
    }

    RedeliveryHistory history() {
        List<LapsedClaim> lapsed = new ArrayList<>();
        attempts.forEach((position, lapses) -> {
            if (!tasks.containsKey(position) && !claims.containsKey(position)) {
                lapsed.add(new LapsedClaim(position, lapses));
            }
        });
        lapsed.sort(Comparator.comparing(each -> each.position().text()));
        return new RedeliveryHistory(lapsed, remembered.awaitingRedelivery(), remembered.pages());
    }

    List<SettledChunk> chunks() {
        List<SettledChunk> chunks = new ArrayList<>();
        for (int bit = bits.nextSetBit(0); bit >= 0; ) {
            int index = bit / SettledChunk.BITS;
            int end = (index + 1) * SettledChunk.BITS;
            int last = bits.previousSetBit(end - 1);
            byte[] bytes = new byte[(last - index * SettledChunk.BITS) / 8 + 1];
            for (; bit >= 0 && bit < end; bit = bits.nextSetBit(bit + 1)) {
                int at = bit - index * SettledChunk.BITS;
                bytes[at >> 3] |= (byte) (0x80 >> (at & 7));
            }
            chunks.add(new SettledChunk(index, bytes));
        }
        return chunks;
    }
}
