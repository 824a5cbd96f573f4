package dev.tandem.scheduler;

import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.Settle;
import java.util.ArrayList;
import java.util.List;

/**
 * Settled offsets as Redis keeps them: bits in blocks, of which those bytes are sent that have any. A script sets the
 * bits of a byte at once, and needs to read no offset of its own for each task.
 */
final class BitMasks {

    static final BitMasks NONE = new BitMasks();

    private static final int BLOCK_BYTES = ScriptCodes.BLOCK_OFFSETS / Byte.SIZE;

    private final List<Block> blocks = new ArrayList<>();

    /** One block, and the first and the last of its bytes that have a bit. */
    private static final class Block {
        private final long number;
        private final byte[] bytes = new byte[BLOCK_BYTES];
        private int first = BLOCK_BYTES;
        private int last;

        Block(long number) {
            this.number = number;
        }

        void set(int offset) {
            int at = offset / Byte.SIZE;
            bytes[at] |= (byte) (0x80 >>> offset % Byte.SIZE);
            first = Math.min(first, at);
            last = Math.max(last, at);
        }
    }

    private BitMasks() {}

    /** Returns the bits of these settles; none if one of them has another mark than an offset. */
    static BitMasks of(List<Settle> settles) {
        BitMasks masks = new BitMasks();
        Block block = null;
        for (Settle settle : settles) {
            if (!(settle.mark() instanceof SettledMark.Offset mark)) {
                return NONE;
            }
            long number = mark.offset() / ScriptCodes.BLOCK_OFFSETS;
            if (block == null || block.number != number) {
                block = masks.block(number);
            }
            block.set((int) (mark.offset() % ScriptCodes.BLOCK_OFFSETS));
        }
        return masks;
    }

    private Block block(long number) {
        for (Block block : blocks) {
            if (block.number == number) {
                return block;
            }
        }
        Block block = new Block(number);
        blocks.add(block);
        return block;
    }

    void write(MessagePackWriter lists) {
        lists.list(3 * blocks.size());
        for (Block block : blocks) {
            lists.number(block.number).number(block.first).bytes(block.bytes, block.first, block.last + 1);
        }
    }
}
