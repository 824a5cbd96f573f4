package dev.tandem.ordering.tracking;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/** A set of offsets. A million that lie close together take some 130 KB. */
public final class OffsetSet {

    /** The first offset of a set that is empty. */
    public static final long NONE = -1;

    private static final int BLOCK_BITS = 4_096;

    private final TreeMap<Long, BitSet> blocks = new TreeMap<>();
    private long size;

    /** @return whether it was not in the set before */
    public boolean add(long offset) {
        BitSet block = blocks.computeIfAbsent(offset / BLOCK_BITS, number -> new BitSet());
        int bit = (int) (offset % BLOCK_BITS);
        boolean added = !block.get(bit);
        block.set(bit);
        size += added ? 1 : 0;
        return added;
    }

    /** @return whether it was in the set */
    public boolean remove(long offset) {
        BitSet block = blocks.get(offset / BLOCK_BITS);
        int bit = (int) (offset % BLOCK_BITS);
        if (block == null || !block.get(bit)) {
            return false;
        }
        block.clear(bit);
        if (block.isEmpty()) {
            blocks.remove(offset / BLOCK_BITS);
        }
        size--;
        return true;
    }

    public boolean contains(long offset) {
        if (size == 0) {
            return false;
        }
        BitSet block = blocks.get(offset / BLOCK_BITS);
        return block != null && block.get((int) (offset % BLOCK_BITS));
    }

    /** Returns the lowest offset, or {@link #NONE}. */
    public long first() {
        Map.Entry<Long, BitSet> first = blocks.firstEntry();
        return first == null
                ? NONE
                : first.getKey() * BLOCK_BITS + first.getValue().nextSetBit(0);
    }

    /** Returns the lowest offset that is at least {@code from}, or {@link #NONE}. */
    public long next(long from) {
        long block = from / BLOCK_BITS;
        for (Map.Entry<Long, BitSet> each : blocks.tailMap(block, true).entrySet()) {
            int bit = each.getValue().nextSetBit(each.getKey() == block ? (int) (from % BLOCK_BITS) : 0);
            if (bit >= 0) {
                return each.getKey() * BLOCK_BITS + bit;
            }
        }
        return NONE;
    }

    /** Returns which of the offsets from {@code from} on are in the set: bit 0 is {@code from}. At most so many bits. */
    public BitSet range(long from, int count) {
        BitSet bits = new BitSet();
        long end = from + count;
        for (Map.Entry<Long, BitSet> each :
                blocks.tailMap(from / BLOCK_BITS, true).entrySet()) {
            long start = each.getKey() * BLOCK_BITS;
            if (start >= end) {
                break;
            }
            BitSet block = each.getValue();
            int bit = block.nextSetBit((int) Math.max(0, from - start));
            for (; bit >= 0 && start + bit < end; bit = block.nextSetBit(bit + 1)) {
                bits.set((int) (start + bit - from));
            }
        }
        return bits;
    }

    /** Removes all offsets below {@code limit}. Returns how many there were. */
    public long removeBelow(long limit) {
        long before = size;
        for (long at = first(); at != NONE && at < limit; at = first()) {
            remove(at);
        }
        return before - size;
    }

    public long size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void clear() {
        blocks.clear();
        size = 0;
    }
}
