package dev.tandem.ordering.lanes;

import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lanes whose next task may be claimed, in the order in which that became so. They are linked by fields of their own, so
 * that a lane enters and leaves at no cost in memory, wherever it is in that order. Those that begin with the head of a
 * blocked key can be taken apart from the others.
 */
final class ReadyLanes {

    private @Nullable Lane first;
    private @Nullable Lane last;
    private int count;
    /** Counts the lanes that ever entered: their places. */
    private long places;
    /** Lanes that begin with a head, by their places. */
    private final TreeMap<Long, Lane> heads = new TreeMap<>();

    boolean isEmpty() {
        return first == null;
    }

    int count() {
        return count;
    }

    int headCount() {
        return heads.size();
    }

    /** Adds a lane at the end, or keeps it where it is. @param startsHead whether its next task is, or may be, a head */
    void put(Lane lane, boolean startsHead) {
        if (!lane.isReady()) {
            lane.readyPlace = ++places;
            lane.readyBefore = last;
            if (last == null) {
                first = lane;
            } else {
                last.readyAfter = lane;
            }
            last = lane;
            count++;
        }
        if (startsHead) {
            heads.put(lane.readyPlace, lane);
        } else {
            heads.remove(lane.readyPlace);
        }
    }

    void remove(Lane lane) {
        Lane before = lane.readyBefore;
        Lane after = lane.readyAfter;
        if (before == null) {
            first = after;
        } else {
            before.readyAfter = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.readyBefore = before;
        }
        heads.remove(lane.readyPlace);
        lane.readyBefore = null;
        lane.readyAfter = null;
        lane.readyPlace = 0;
        count--;
    }

    /** Takes the first lane. Null if there is none. */
    @Nullable
    Lane poll() {
        return taken(first);
    }

    /** Takes the first lane that begins with a head. Null if there is none. */
    @Nullable
    Lane pollHead() {
        return taken(heads.isEmpty() ? null : heads.firstEntry().getValue());
    }

    private @Nullable Lane taken(@Nullable Lane lane) {
        if (lane != null) {
            remove(lane);
        }
        return lane;
    }

    void forEach(Consumer<Lane> receiver) {
        for (Lane lane = first; lane != null; lane = lane.readyAfter) {
            receiver.accept(lane);
        }
    }

    /** Passes on the first lanes. @param most how many; no more than there are */
    void forSome(int most, Consumer<Lane> receiver) {
        Lane lane = first;
        for (int i = 0; i < most && lane != null; i++) {
            receiver.accept(lane);
            lane = lane.readyAfter;
        }
    }

    void clear() {
        while (first != null) {
            remove(first);
        }
    }
}
