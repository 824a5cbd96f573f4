package dev.tandem.rabbit;

/** The sizes of the unacked deliveries of one channel, by delivery tag. Used by the loop's thread only. */
final class UnackedSizes {

    private int[] sizes = new int[64];
    /** All tags below this one are taken. */
    private long first;

    private long next;

    /**
     * Adds a delivery.
     *
     * @param tag higher than all earlier ones
     * @param size 1 or more
     */
    void put(long tag, int size) {
        if (first == next) {
            first = tag;
        }
        while (tag - first >= sizes.length) {
            grow();
        }
        sizes[index(tag)] = size;
        next = tag + 1;
    }

    /** Takes the size of a delivery; 0 if it was taken before, or never added. */
    int take(long tag) {
        if (tag < first || tag >= next) {
            return 0;
        }
        int size = sizes[index(tag)];
        sizes[index(tag)] = 0;
        while (first < next && sizes[index(first)] == 0) {
            first++;
        }
        return size;
    }

    boolean isEmpty() {
        return first == next;
    }

    private int index(long tag) {
        return (int) (tag & (sizes.length - 1));
    }

    private void grow() {
        int[] larger = new int[sizes.length * 2];
        for (long tag = first; tag < next; tag++) {
            larger[(int) (tag & (larger.length - 1))] = sizes[index(tag)];
        }
        sizes = larger;
    }
}
