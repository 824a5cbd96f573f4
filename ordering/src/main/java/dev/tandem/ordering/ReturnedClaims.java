package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.HashSet;
import java.util.Set;

/** The last claims of their keys that were given back before their runs began. Their tasks keep their places. */
final class ReturnedClaims {

    private final Set<Position> first = new HashSet<>();
    private final Set<Position> inLane = new HashSet<>();

    /** The store has the task. If the store forgot that, the task goes before all others of its key. */
    void toStore(Position position) {
        first.add(position);
    }

    /** The task was delivered. It has its place in its lane, whether the store forgot that it has the task or not. */
    void toLane(Position position) {
        inLane.add(position);
    }

    boolean goesFirst(Position position) {
        return first.contains(position);
    }

    boolean isInLane(Position position) {
        return inLane.contains(position);
    }

    void clear() {
        first.clear();
        inLane.clear();
    }
}
