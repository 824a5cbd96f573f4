package dev.tandem.scheduler;

import dev.tandem.task.Utf8;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes a page: a version, the number of its records, the executor that made them, and the records, each behind its length. {@link
 * PageReader} reads it, and {@code include/success_pages.lua} describes it.
 */
final class PageWriter {

    private static final int MAX_COUNT = 0xFFFF;
    private static final int MAX_RECORD = 0xFFFF;
    private static final int MAX_EXECUTOR = 255;

    private byte[] page;
    private int size = 3;
    private int count;
    /** Where the record begins that is being written. */
    private int from;

    /** @param capacity the expected size in bytes, 3 or more; the page grows if it needs more */
    PageWriter(byte version, String executor, int capacity) {
        page = new byte[capacity];
        page[0] = version;
        byte[] name = Utf8.bytes(executor);
        int length = Math.min(name.length, MAX_EXECUTOR);
        raw(length);
        bytes(name, length);
    }

    /** Begins a record. {@link #end} must follow. @return false if the page has no room for another one */
    boolean begin() {
        if (count == MAX_COUNT) {
            return false;
        }
        ensure(2);
        from = size;
        size += 2;
        return true;
    }

    /** Ends a record. @return false if it is too large for a page: then it is removed */
    boolean end() {
        int length = size - from - 2;
        if (length > MAX_RECORD) {
            size = from;
            return false;
        }
        page[from] = (byte) (length >>> 8);
        page[from + 1] = (byte) length;
        count++;
        return true;
    }

    /** Returns the page; empty if it has no records. */
    byte[] done() {
        if (count == 0) {
            return new byte[0];
        }
        page[1] = (byte) (count >>> 8);
        page[2] = (byte) count;
        return Arrays.copyOf(page, size);
    }

    /** Writes a position behind its length, which is one byte. */
    void position(byte[] position) {
        raw(position.length);
        bytes(position, position.length);
    }

    /** Writes a time in epoch milliseconds. */
    void time(long millis) {
        for (int shift = 40; shift >= 0; shift -= 8) {
            raw((int) (millis >>> shift));
        }
    }

    /** Writes a text unless it is null; the record's flags tell. */
    void optional(@Nullable String text) {
        if (text != null) {
            text(Utf8.bytes(text));
        }
    }

    /** Writes a text in UTF-8 behind its length. */
    void text(byte[] text) {
        varint(text.length);
        bytes(text, text.length);
    }

    void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            raw((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        raw((int) rest);
    }

    void raw(int value) {
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
}
