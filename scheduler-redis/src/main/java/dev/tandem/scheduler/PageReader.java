package dev.tandem.scheduler;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads a page that a {@link PageWriter} wrote. */
final class PageReader {

    private final ByteBuffer in;
    private final int count;
    private final String executor;

    /**
     * @param in from where the page begins
     * @param version the version that this program knows
     * @param what what the page has records of
     * @throws IllegalArgumentException if the page is of another version
     */
    PageReader(ByteBuffer in, byte version, String what) {
        this.in = in;
        if (!in.hasRemaining() || in.get(in.position()) != version) {
            throw new IllegalArgumentException("A page of " + what + " of version "
                    + (in.hasRemaining() ? in.get(in.position()) : "none")
                    + " cannot be read: this program knows version " + version);
        }
        in.get();
        this.count = in.getShort() & 0xFFFF;
        this.executor = shortText();
    }

    /** Returns the process that made all records. */
    String executor() {
        return executor;
    }

    /**
     * Reads all records.
     *
     * @param record reads the record of an index from this reader. It may leave out what follows the parts that it knows
     */
    <T> List<T> records(IntFunction<T> record) {
        List<T> records = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int after = (in.getShort() & 0xFFFF) + in.position();
            records.add(record.apply(i));
            in.position(after);
        }
        return records;
    }

    byte raw() {
        return in.get();
    }

    /** Reads a text whose length is one byte, as positions have. */
    String shortText() {
        return text(in.get() & 0xFF);
    }

    /** Reads a text, if its flag is set. @param flag 0 if it is not */
    @Nullable
    String optional(int flag) {
        return flag == 0 ? null : text((int) varint());
    }

    /** Reads a time in epoch milliseconds. */
    long time() {
        return ((long) in.getShort() & 0xFFFF) << 32 | in.getInt() & 0xFFFF_FFFFL;
    }

    long varint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    private String text(int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
