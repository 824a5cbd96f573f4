package dev.tandem.ordering.lanes;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Lanes that the store has no room for. Those that have waited longest come first. */
final class FullLanes {

    private final ArrayDeque<Lane> lanes = new ArrayDeque<>();

    void add(Lane lane) {
        if (!lane.isFull()) {
            lane.full(true);
            lanes.addLast(lane);
        }
    }

    boolean isEmpty() {
        return lanes.isEmpty();
    }

    /** Takes out at most so many lanes, which are not full until the store says so again. */
    List<Lane> take(int limit) {
        List<Lane> taken = new ArrayList<>();
        for (int i = Math.min(limit, lanes.size()); i > 0; i--) {
            Lane lane = lanes.removeFirst();
            if (lane.isFull()) {
                lane.full(false);
                taken.add(lane);
            }
        }
        return taken;
    }

    void clear() {
        lanes.clear();
    }
}
