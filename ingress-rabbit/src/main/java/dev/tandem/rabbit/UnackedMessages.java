package dev.tandem.rabbit;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The sizes and times of the unacked deliveries of one channel, by delivery tag. Takes memory for as many messages as are
 * unacked, however far apart their tags are. Used by the loop's thread only.
 *
 * <p>Tags are given out one after another, and most messages are acked soon. So the latest tags are in a ring. A few
 * that stay behind while many later ones come and go are moved to a map, so that the ring need not reach back to them.
 */
final class UnackedMessages {

    /** The result of {@link #oldest} if nothing is unacked. */
    static final long NONE = Long.MAX_VALUE;

    private static final int FIRST_CAPACITY = 64;
    /** The ring grows while at least one in so many of its places is in use. Otherwise its oldest tags are moved. */
    private static final int MAX_SPARSENESS = 4;

    private record Message(int size, long arrivedAt) {}

    private int[] sizes = new int[FIRST_CAPACITY];
    private long[] arrivals = new long[FIRST_CAPACITY];
    /** All tags of the ring below this one are taken, or moved. */
    private long first;

    private long next;
    private int inRing;
    /** Messages that were moved from the ring, the oldest first. */
    private final Map<Long, Message> left = new LinkedHashMap<>();

    /**
     * Adds a delivery.
     *
     * @param tag higher than all earlier ones
     * @param size 1 or more
     * @param arrivedAt not lower than that of earlier deliveries
     */
    void put(long tag, int size, long arrivedAt) {
        if (inRing == 0) {
            first = tag;
        }
        while (tag - first >= sizes.length) {
            if (inRing >= sizes.length / MAX_SPARSENESS) {
                grow();
            } else {
                moveFirst();
            }
            if (inRing == 0) {
                first = tag;
            }
        }
        int index = index(tag);
        sizes[index] = size;
        arrivals[index] = arrivedAt;
        next = tag + 1;
        inRing++;
    }

    /** Takes the size of a delivery; 0 if it was taken before, or never added. */
    int take(long tag) {
        if (inRing == 0 || tag < first || tag >= next) {
            Message message = left.isEmpty() ? null : left.remove(tag);
            return message == null ? 0 : message.size();
        }
        int size = sizes[index(tag)];
        if (size > 0) {
            sizes[index(tag)] = 0;
            inRing--;
            skipTaken();
        }
        return size;
    }

    private void moveFirst() {
        int index = index(first);
        left.put(first, new Message(sizes[index], arrivals[index]));
        sizes[index] = 0;
        inRing--;
        skipTaken();
    }

    private void skipTaken() {
        while (inRing > 0 && sizes[index(first)] == 0) {
            first++;
        }
    }

    boolean isEmpty() {
        return inRing == 0 && left.isEmpty();
    }

    /** Returns when the oldest one arrived; {@link #NONE} if nothing is unacked. */
    long oldest() {
        Iterator<Message> oldest = left.values().iterator();
        if (oldest.hasNext()) {
            return oldest.next().arrivedAt();
        }
        return inRing == 0 ? NONE : arrivals[index(first)];
    }

    /** Returns for how many messages the ring has places. */
    int capacity() {
        return sizes.length;
    }

    private int index(long tag) {
        return (int) (tag & (sizes.length - 1));
    }

    private void grow() {
        int[] moreSizes = new int[sizes.length * 2];
        long[] moreArrivals = new long[sizes.length * 2];
        for (long tag = first; tag < next; tag++) {
            int index = (int) (tag & (moreSizes.length - 1));
            moreSizes[index] = sizes[index(tag)];
            moreArrivals[index] = arrivals[index(tag)];
        }
        sizes = moreSizes;
        arrivals = moreArrivals;
    }
}
