package dev.tandem.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the part of MessagePack that requests need: lists, text, whole numbers and false. A script unpacks a list of
 * hundreds of items in one call, which is cheaper than hundreds of arguments.
 */
final class MessagePackWriter {

    private byte[] buffer = new byte[256];
    private int size;

    /** Begins a list. Its {@code count} items follow. */
    MessagePackWriter list(int count) {
        if (count < 16) {
            writeByte(0x90 | count);
        } else {
            writeByte(0xdd);
            bigEndian(count, 4);
        }
        return this;
    }

    MessagePackWriter text(String text) {
        boolean ascii = true;
        int length = text.length();
        for (int i = 0; i < length && ascii; i++) {
            ascii = text.charAt(i) < 0x80;
        }
        if (!ascii) {
            return bytes(text.getBytes(StandardCharsets.UTF_8));
        }
        header(length);
        ensureRoom(length);
        for (int i = 0; i < length; i++) {
            buffer[size++] = (byte) text.charAt(i);
        }
        return this;
    }

    MessagePackWriter letter(char letter) {
        return text(String.valueOf(letter));
    }

    MessagePackWriter bytes(byte[] bytes) {
        header(bytes.length);
        ensureRoom(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
        return this;
    }

    /** Writes a token as scripts compare it: 8 bytes, big-endian. */
    MessagePackWriter token(long token) {
        header(8);
        bigEndian(token, 8);
        return this;
    }

    MessagePackWriter number(long number) {
        if (number >= -32 && number < 128) {
            writeByte((int) number);
        } else if (number >= 0 && number <= 0xFFFF_FFFFL) {
            writeByte(0xce);
            bigEndian(number, 4);
        } else {
            writeByte(0xd3);
            bigEndian(number, 8);
        }
        return this;
    }

    /** Writes false. */
    MessagePackWriter no() {
        writeByte(0xc2);
        return this;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(buffer, size);
    }

    private void header(int length) {
        if (length < 32) {
            writeByte(0xa0 | length);
        } else {
            writeByte(0xdb);
            bigEndian(length, 4);
        }
    }

    private void writeByte(int value) {
        ensureRoom(1);
        buffer[size++] = (byte) value;
    }

    private void bigEndian(long value, int bytes) {
        ensureRoom(bytes);
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            buffer[size++] = (byte) (value >>> shift);
        }
    }

    private void ensureRoom(int more) {
        if (size + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
        }
    }
}
