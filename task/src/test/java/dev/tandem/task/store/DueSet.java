package dev.tandem.task.store;

import dev.tandem.task.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A set of positions sorted by due time, then by position, as a sorted set in Redis is. */
final class DueSet {

    /** A position with its due time in epoch milliseconds. */
    record Entry(long dueAt, Position position) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return dueAt != other.dueAt
                    ? Long.compare(dueAt, other.dueAt)
                    : position.text().compareTo(other.position.text());
        }
    }

    /** Places in lines begin behind all times. */
    static final long FIRST_PLACE = 1L << 52;

    private final TreeSet<Entry> order = new TreeSet<>();
    private final Map<Position, Long> times = new HashMap<>();

    DueSet copy() {
        DueSet copy = new DueSet();
        copy.order.addAll(order);
        copy.times.putAll(times);
        return copy;
    }

    /** Adds a position, or changes the due time of one that is there. */
    void put(Position position, long dueAt) {
        remove(position);
        times.put(position, dueAt);
        order.add(new Entry(dueAt, position));
    }

    void remove(Position position) {
        Long dueAt = times.remove(position);
        if (dueAt != null) {
            order.remove(new Entry(dueAt, position));
        }
    }

    boolean contains(Position position) {
        return times.containsKey(position);
    }

    /** Returns the due time of a position; -1 if it is not here. */
    long dueTime(Position position) {
        return times.getOrDefault(position, -1L);
    }

    Set<Position> positions() {
        return times.keySet();
    }

    /** Returns the earliest due time; {@link Long#MAX_VALUE} if there is none, but places in lines at most. */
    long earliest() {
        return order.isEmpty() || order.first().dueAt >= FIRST_PLACE ? Long.MAX_VALUE : order.first().dueAt;
    }

    /** Returns the entries from one place on up to another one, without that. */
    List<Entry> between(long from, long to) {
        return new ArrayList<>(order.subSet(new Entry(from, new Position("")), new Entry(to, new Position(""))));
    }

    /** Returns the entries that are due at the given time, the earliest first. */
    List<Entry> dueAt(long now) {
        return new ArrayList<>(order.headSet(new Entry(now + 1, new Position("")), false));
    }
}
