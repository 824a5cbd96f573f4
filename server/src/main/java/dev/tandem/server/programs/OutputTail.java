package dev.tandem.server.programs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads what a program prints, and keeps the end of it. Thread-safe. */
final class OutputTail {

    private static final int BLOCK = 8_192;

    private final byte[] kept;
    private long read;

    OutputTail(int bytes) {
        kept = new byte[bytes];
    }

    /** Reads to the end, or until the stream is closed. */
    void readAll(InputStream stream) {
        byte[] block = new byte[BLOCK];
        try (stream) {
            for (int count = stream.read(block); count >= 0; count = stream.read(block)) {
                add(block, count);
            }
        } catch (IOException e) {
            // Closed, because something that the program has left behind keeps it open.
        }
    }

    private synchronized void add(byte[] block, int count) {
        for (int i = Math.max(0, count - kept.length); i < count; i++) {
            kept[(int) ((read + i) % kept.length)] = block[i];
        }
        read += count;
    }

    /** Returns the end as text. What is no text, and what terminals obey, is replaced. */
    synchronized String text() {
        int length = (int) Math.min(read, kept.length);
        byte[] ordered = new byte[length];
        for (int i = 0; i < length; i++) {
            ordered[i] = kept[(int) ((read - length + i) % kept.length)];
        }
        int start = 0;
        // The first character may have been cut.
        while (read > length && start < length && (ordered[start] & 0xC0) == 0x80) {
            start++;
        }
        String text = new String(ordered, start, length - start, StandardCharsets.UTF_8);
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]", "?").strip();
    }
}
