package dev.tandem.task.store;

import dev.tandem.task.store.StoreAnswer.SettledChunk;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The settled offsets of a log's current incarnation: the stored commit, and one bit for each offset above it. */
final class SettledOffsets {

    private final BitSet bits = new BitSet();
    private long storedCommit = -1;

    SettledOffsets copy() {
        SettledOffsets copy = new SettledOffsets();
        copy.bits.or(bits);
        copy.storedCommit = storedCommit;
        return copy;
    }

    /** Returns the stored commit: all offsets below it are settled. -1 if none is known. */
    long storedCommit() {
        return storedCommit;
    }

    boolean contains(long offset) {
        return offset >= 0 && (offset < storedCommit || bits.get((int) offset));
    }

    boolean contains(SettledMark mark) {
        return mark instanceof SettledMark.Offset at && contains(at.offset());
    }

    /** Marks an offset as settled. Ignores all other marks. */
    void add(SettledMark mark) {
        if (mark instanceof SettledMark.Offset at && at.offset() >= storedCommit) {
            bits.set((int) at.offset());
        }
    }

    void raiseCommit(long committed) {
        storedCommit = Math.max(storedCommit, committed);
    }

    /** Deletes the chunks that are wholly below the stored commit. */
    void dropCommittedChunks() {
        bits.clear(0, (int) Math.max(0, storedCommit / SettledChunk.BITS * SettledChunk.BITS));
    }

    /** Forgets what is settled from an offset on. */
    void cutAt(long offset) {
        bits.clear((int) offset, Math.max((int) offset, bits.length()));
        storedCommit = Math.min(storedCommit, offset);
    }

    /** Begins a new incarnation, in which nothing but the committed prefix is settled. */
    void restartAt(long committed) {
        bits.clear();
        storedCommit = committed;
    }

    List<SettledChunk> chunks() {
        List<SettledChunk> chunks = new ArrayList<>();
        for (int bit = bits.nextSetBit(0); bit >= 0; ) {
            int index = bit / SettledChunk.BITS;
            int end = (index + 1) * SettledChunk.BITS;
            int last = bits.previousSetBit(end - 1);
            byte[] bytes = new byte[(last - index * SettledChunk.BITS) / 8 + 1];
            for (; bit >= 0 && bit < end; bit = bits.nextSetBit(bit + 1)) {
                int inChunk = bit - index * SettledChunk.BITS;
                bytes[inChunk >> 3] |= (byte) (0x80 >> (inChunk & 7));
            }
            chunks.add(new SettledChunk(index, bytes));
        }
        return chunks;
    }
}
