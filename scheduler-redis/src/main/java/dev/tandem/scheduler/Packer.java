package dev.tandem.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the part of MessagePack that requests need: lists of text, whole numbers and false. Redis's scripts unpack a
 * list of hundreds of items in one call, which is cheaper than as many arguments.
 */
final class Packer {

    private byte[] buffer = new byte[256];
    private int size;

    /** Begins a list; its {@code count} items follow. */
    Packer list(int count) {
        if (count < 16) {
            raw(0x90 | count);
        } else {
            raw(0xdd);
            fixed(count, 4);
        }
        return this;
    }

    Packer text(String text) {
        boolean ascii = true;
        int length = text.length();
        for (int i = 0; i < length && ascii; i++) {
            ascii = text.charAt(i) < 0x80;
        }
        if (!ascii) {
            return bytes(text.getBytes(StandardCharsets.UTF_8));
        }
        header(length);
        ensure(length);
        for (int i = 0; i < length; i++) {
            buffer[size++] = (byte) text.charAt(i);
        }
        return this;
    }

    Packer bytes(byte[] bytes) {
        header(bytes.length);
        ensure(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
        return this;
    }

    /** A token as scripts compare it: 8 bytes, big-endian. */
    Packer token(long token) {
        header(8);
        fixed(token, 8);
        return this;
    }

    Packer number(long number) {
        if (number >= -32 && number < 128) {
            raw((int) number);
        } else if (number >= 0 && number <= 0xFFFF_FFFFL) {
            raw(0xce);
            fixed(number, 4);
        } else {
            raw(0xd3);
            fixed(number, 8);
        }
        return this;
    }

    Packer no() {
        raw(0xc2);
        return this;
    }

    byte[] done() {
        return Arrays.copyOf(buffer, size);
    }

    private void header(int length) {
        if (length < 32) {
            raw(0xa0 | length);
        } else {
            raw(0xdb);
            fixed(length, 4);
        }
    }

    private void raw(int value) {
        ensure(1);
        buffer[size++] = (byte) value;
    }

    private void fixed(long value, int bytes) {
        ensure(bytes);
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            buffer[size++] = (byte) (value >>> shift);
        }
    }

    private void ensure(int more) {
        if (size + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
        }
    }
}
