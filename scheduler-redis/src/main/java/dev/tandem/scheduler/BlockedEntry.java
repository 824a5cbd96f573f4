package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;

/**
 * A value of the hash {@code blocked}, in the form that {@code include/blocked_keys.lua} describes.
 *
 * @param since epoch milliseconds
 */
record BlockedEntry(BlockReason reason, long since, Position head) {

    private static final int SINCE_AT = 1;
    private static final int HEAD_AT = 14;

    static BlockedEntry parse(String entry) {
        return new BlockedEntry(
                ScriptCodes.blockReason(entry.charAt(0)),
                Long.parseLong(entry.substring(SINCE_AT, HEAD_AT)),
                new Position(entry.substring(HEAD_AT)));
    }
}
