package dev.tandem.scheduler;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes and reads claims as Redis stores them. {@code include/claim_record.lua} describes the form. */
final class ClaimRecord {

    private static final byte VERSION = 1;
    private static final int MAX_EXECUTOR = 255;

    private ClaimRecord() {}

    /** @throws IllegalArgumentException if the name of an executor is too long for a claim */
    static void requireShort(String executor) {
        int length = executor.getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_EXECUTOR) {
            throw new IllegalArgumentException(
                    "The executor's name has " + length + " bytes, but it may have at most " + MAX_EXECUTOR);
        }
    }

    /**
     * Writes a covered claim, which does not name its executor: the partition's owner.
     *
     * @param startedAt epoch milliseconds; only people look at it
     */
    static byte[] covered(long startedAt, long token, byte @Nullable [] key) {
        ByteBuffer claim = ByteBuffer.allocate(17 + (key == null ? 0 : key.length));
        claim.put(VERSION).putShort((short) (startedAt >>> 32)).putInt((int) startedAt);
        claim.putLong(token).put((byte) 0);
        if (key == null) {
            return claim.put((byte) 0).array();
        }
        return claim.put((byte) 1).put(key).array();
    }

    static TaskView.Claim read(byte[] claim, long leaseUntil) {
        if (claim.length == 0 || claim[0] != VERSION) {
            throw new IllegalArgumentException("A claim of version " + (claim.length == 0 ? "none" : claim[0])
                    + " cannot be read: this program knows version " + VERSION);
        }
        ByteBuffer in = ByteBuffer.wrap(claim, 1, claim.length - 1);
        long startedAt = ((long) in.getShort() & 0xFFFF) << 32 | in.getInt() & 0xFFFF_FFFFL;
        long token = in.getLong();
        String executor = text(in, in.get() & 0xFF);
        String key = in.get() == 1 ? text(in, in.remaining()) : null;
        return new TaskView.Claim(token, executor, key, startedAt, leaseUntil);
    }

    private static String text(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
