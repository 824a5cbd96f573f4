package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of the tasks that one request settles as successful. {@code include/success_pages.lua} describes the form
 * that scripts read. A record goes on, behind its position, with flags; attempt (a varint); start (6 bytes, ms); duration
 * (a varint); then what the flags announce, each a text behind its length: id, type, key, earlier attempts, and the id
 * of the task of which it was a duplicate; how the task ended (1 byte) unless it succeeded; and its result, a text.
 * Programs of earlier versions pass over what follows the parts that they know.
 *
 * @param page empty if there is nothing to keep
 * @param hashes of all positions and ids in the page, 4 bytes each
 */
record SuccessPage(byte[] page, byte[] hashes) {

    /** One record of a page. */
    record Kept(Position position, SuccessRecord success) {}

    static final SuccessPage NONE = new SuccessPage(new byte[0], new byte[0]);

    private static final byte VERSION = 1;
    private static final int MAX_COUNT = 0xFFFF;
    private static final int MAX_EXECUTOR = 255;

    private static final int FLAG_ID = 1;
    private static final int FLAG_TYPE = 2;
    private static final int FLAG_KEY = 4;
    private static final int FLAG_ATTEMPTS = 8;
    private static final int FLAG_DUPLICATE = 16;
    private static final int FLAG_END = 32;
    private static final int FLAG_RESULT = 64;

    /** Packs the records of those outcomes that are successes and have one. */
    static SuccessPage of(List<Settle> settles) {
        Writer out = null;
        for (Settle settle : settles) {
            if (settle.verdict() instanceof Verdict.Success success && success.record() != null) {
                if (out == null) {
                    out = new Writer(success.record().executor(), settles.size());
                }
                out.add(settle.position().text(), success.record());
            }
        }
        return out == null ? NONE : out.done();
    }

    /** Packs records of one executor. @param positions of the tasks, in the order of the records */
    static SuccessPage of(List<Position> positions, List<SuccessRecord> records) {
        if (records.isEmpty()) {
            return NONE;
        }
        Writer out = new Writer(records.get(0).executor(), records.size());
        for (int i = 0; i < records.size(); i++) {
            out.add(positions.get(i).text(), records.get(i));
        }
        return out.done();
    }

    /** Returns the hash by which pages with this position or id are found. */
    static byte[] hash(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    }

    /**
     * Reads a page, the earliest outcome first.
     *
     * @throws IllegalArgumentException if the version is unknown
     */
    static List<Kept> read(byte[] page) {
        if (page.length == 0 || page[0] != VERSION) {
            throw new IllegalArgumentException("A page of successes of version " + (page.length == 0 ? "none" : page[0])
                    + " cannot be read: this program knows version " + VERSION);
        }
        ByteBuffer in = ByteBuffer.wrap(page, 1, page.length - 1);
        int count = in.getShort() & 0xFFFF;
        String executor = text(in, in.get() & 0xFF);
        List<Kept> records = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int after = (in.getShort() & 0xFFFF) + in.position();
            records.add(record(in, executor));
            in.position(after);
        }
        return records;
    }

    private static Kept record(ByteBuffer in, String executor) {
        Position position = new Position(text(in, in.get() & 0xFF));
        int flags = in.get();
        int attempt = (int) varint(in);
        long startedAt = ((long) in.getShort() & 0xFFFF) << 32 | in.getInt() & 0xFFFF_FFFFL;
        long duration = varint(in);
        String id = optional(in, flags & FLAG_ID);
        String type = optional(in, flags & FLAG_TYPE);
        String key = optional(in, flags & FLAG_KEY);
        String attempts = optional(in, flags & FLAG_ATTEMPTS);
        String duplicateOf = optional(in, flags & FLAG_DUPLICATE);
        TaskEnd end = (flags & FLAG_END) == 0 ? TaskEnd.SUCCEEDED : end(in.get());
        String result = optional(in, flags & FLAG_RESULT);
        return new Kept(
                position,
                new SuccessRecord(
                        id, type, key, attempt, startedAt, duration, executor, attempts, end, result, duplicateOf));
    }

    private static TaskEnd end(byte code) {
        return switch (code) {
            case ScriptCodes.VERDICT_EXPIRED -> TaskEnd.EXPIRED;
            case ScriptCodes.VERDICT_CANCELLED -> TaskEnd.CANCELLED;
            default -> throw ScriptCodes.unknown("end of a task", (char) code);
        };
    }

    private static @Nullable String optional(ByteBuffer in, int flag) {
        return flag == 0 ? null : text(in, (int) varint(in));
    }

    private static String text(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    private static final class Writer {
        private final CRC32 crc = new CRC32();
        private byte[] page;
        private byte[] hashes;
        private int size = 3;
        private int hashSize;
        private int count;

        Writer(String executor, int records) {
            page = new byte[64 + 56 * records];
            hashes = new byte[8 * records];
            page[0] = VERSION;
            byte[] name = executor.getBytes(StandardCharsets.UTF_8);
            int length = Math.min(name.length, MAX_EXECUTOR);
            raw(length);
            bytes(name, length);
        }

        void add(String position, SuccessRecord success) {
            if (count == MAX_COUNT) {
                return;
            }
            int from = size;
            size += 2;
            int hashesBefore = hashSize;
            identity(position, false);
            raw((success.id() == null ? 0 : FLAG_ID)
                    | (success.type() == null ? 0 : FLAG_TYPE)
                    | (success.key() == null ? 0 : FLAG_KEY)
                    | (success.attempts() == null ? 0 : FLAG_ATTEMPTS)
                    | (success.duplicateOf() == null ? 0 : FLAG_DUPLICATE)
                    | (success.end() == TaskEnd.SUCCEEDED ? 0 : FLAG_END)
                    | (success.result() == null ? 0 : FLAG_RESULT));
            varint(success.attempt());
            for (int shift = 40; shift >= 0; shift -= 8) {
                raw((int) (success.startedAt() >>> shift));
            }
            varint(Math.max(0, success.durationMillis()));
            if (success.id() != null) {
                identity(success.id(), true);
            }
            optional(success.type());
            optional(success.key());
            optional(success.attempts());
            optional(success.duplicateOf());
            if (success.end() != TaskEnd.SUCCEEDED) {
                raw(ScriptCodes.end(success.end()));
            }
            optional(success.result());
            int length = size - from - 2;
            if (length > 0xFFFF) {
                // Larger than any bound of its parts allows.
                size = from;
                hashSize = hashesBefore;
                return;
            }
            page[from] = (byte) (length >>> 8);
            page[from + 1] = (byte) length;
            count++;
        }

        /** Writes a text by which the record is found. Positions have a length of one byte. */
        private void identity(String text, boolean varint) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (varint) {
                varint(bytes.length);
            } else {
                raw(bytes.length);
            }
            bytes(bytes, bytes.length);
            crc.reset();
            crc.update(bytes);
            if (hashSize == hashes.length) {
                hashes = Arrays.copyOf(hashes, hashes.length * 2);
            }
            int hash = (int) crc.getValue();
            for (int shift = 24; shift >= 0; shift -= 8) {
                hashes[hashSize++] = (byte) (hash >>> shift);
            }
        }

        private void optional(@Nullable String text) {
            if (text != null) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                varint(bytes.length);
                bytes(bytes, bytes.length);
            }
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                raw((int) ((rest & 0x7F) | 0x80));
                rest >>>= 7;
            }
            raw((int) rest);
        }

        private void raw(int value) {
            ensure(1);
            page[size++] = (byte) value;
        }

        private void bytes(byte[] more, int length) {
            ensure(length);
            System.arraycopy(more, 0, page, size, length);
            size += length;
        }

        private void ensure(int more) {
            if (size + more > page.length) {
                page = Arrays.copyOf(page, Math.max(page.length * 2, size + more));
            }
        }

        SuccessPage done() {
            if (count == 0) {
                return NONE;
            }
            page[1] = (byte) (count >>> 8);
            page[2] = (byte) count;
            return new SuccessPage(Arrays.copyOf(page, size), Arrays.copyOf(hashes, hashSize));
        }
    }
}
