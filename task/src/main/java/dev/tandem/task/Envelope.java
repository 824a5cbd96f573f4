package dev.tandem.task;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task together with its attempts and last error. Redis keeps it in a compact binary form while it has custody.
 *
 * <p>Layout: a version byte; a flag byte; if {@link #FLAG_TOKEN} is set, the last settled token as 8 bytes, big-endian
 * (in this fixed place because scripts read it); then the fields that the flags announce, numbers as LEB128 varints and
 * text as UTF-8 preceded by its length. The queue is left out, because the Redis key names it.
 *
 * @param task the task
 * @param attempts the number of starts so far
 * @param token the token of the last run that was settled; 0 if there is none
 * @param error how the last run failed; null if no run did
 */
public record Envelope(
        Task task, int attempts, long token, @Nullable String error) {

    /** The longest error text that is kept, in characters. */
    public static final int MAX_ERROR = 2_000;

    public static final byte VERSION = 1;

    /** Set in byte 1 when bytes 2 to 9 hold a token. */
    public static final int FLAG_TOKEN = 1;

    private static final int FLAG_ID = 2;
    private static final int FLAG_TYPE = 4;
    private static final int FLAG_KEY = 8;
    private static final int FLAG_TIMES = 16;
    private static final int FLAG_LIMITS = 32;
    private static final int FLAG_RUNS = 64;
    private static final int FLAG_HEADERS = 128;

    public Envelope {
        if (error != null && error.length() > MAX_ERROR) {
            error = error.substring(0, MAX_ERROR);
        }
    }

    /** Returns the envelope of a task that never ran. */
    public static Envelope of(Task task) {
        return new Envelope(task, 0, 0, null);
    }

    /**
     * Returns the error of a task that waited behind the head of its key and died with it. The scripts write the same
     * text.
     *
     * @param head the task that died first
     */
    public static String drainedBehind(Partition partition, Position head) {
        return "drained behind @" + partition.name() + "/" + head + ", the head of its key";
    }

    public Envelope withError(String why) {
        return new Envelope(task, attempts, token, why);
    }

    public byte[] encode() {
        boolean times = task.publishedAt() != 0 || task.notBefore() != 0;
        boolean limits = task.timeoutMillis() != 0 || task.maxAttempts() != 0 || task.dedupKey() != null;
        boolean runs = attempts != 0 || error != null;
        int flags = (token != 0 ? FLAG_TOKEN : 0)
                | (task.id() != null ? FLAG_ID : 0)
                | (task.type() != null ? FLAG_TYPE : 0)
                | (task.key() != null ? FLAG_KEY : 0)
                | (times ? FLAG_TIMES : 0)
                | (limits ? FLAG_LIMITS : 0)
                | (runs ? FLAG_RUNS : 0)
                | (task.headers().isEmpty() ? 0 : FLAG_HEADERS);
        Writer out = new Writer(64 + task.payload().length);
        out.raw(VERSION);
        out.raw(flags);
        if (token != 0) {
            out.fixed(token);
        }
        out.optional(task.id());
        out.optional(task.type());
        out.optional(task.key());
        if (times) {
            out.varint(task.publishedAt());
            out.varint(task.notBefore());
        }
        if (limits) {
            out.varint(task.timeoutMillis());
            out.varint(task.maxAttempts());
            out.text(task.dedupKey() == null ? "" : task.dedupKey());
        }
        if (runs) {
            out.varint(attempts);
            out.text(error == null ? "" : error);
        }
        if (!task.headers().isEmpty()) {
            out.varint(task.headers().size());
            task.headers().forEach((name, value) -> {
                out.text(name);
                out.text(value);
            });
        }
        out.bytes(task.payload());
        return out.done();
    }

    /**
     * Reads an envelope that {@link #encode} wrote.
     *
     * @throws IllegalArgumentException if the version is unknown or the bytes are truncated
     */
    public static Envelope decode(String queue, byte[] bytes) {
        if (bytes.length < 2 || bytes[0] != VERSION) {
            throw new IllegalArgumentException("An envelope of version " + (bytes.length == 0 ? "none" : bytes[0])
                    + " cannot be read: this program knows version " + VERSION);
        }
        try {
            return new Reader(bytes).envelope(queue);
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("An envelope of " + bytes.length + " bytes is truncated", e);
        }
    }

    private static final class Writer {
        private byte[] buffer;
        private int size;

        Writer(int capacity) {
            buffer = new byte[capacity];
        }

        void raw(int value) {
            ensure(1);
            buffer[size++] = (byte) value;
        }

        void fixed(long value) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                raw((int) (value >>> shift));
            }
        }

        void varint(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                raw((int) ((rest & 0x7F) | 0x80));
                rest >>>= 7;
            }
            raw((int) rest);
        }

        void optional(@Nullable String text) {
            if (text != null) {
                text(text);
            }
        }

        void text(String text) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            varint(encoded.length);
            bytes(encoded);
        }

        void bytes(byte[] more) {
            ensure(more.length);
            System.arraycopy(more, 0, buffer, size, more.length);
            size += more.length;
        }

        byte[] done() {
            return size == buffer.length ? buffer : Arrays.copyOf(buffer, size);
        }

        private void ensure(int more) {
            if (size + more > buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
            }
        }
    }

    private static final class Reader {
        private final byte[] buffer;
        private int at = 1;

        Reader(byte[] buffer) {
            this.buffer = buffer;
        }

        Envelope envelope(String queue) {
            int flags = buffer[at++] & 0xFF;
            long token = has(flags, FLAG_TOKEN) ? fixed() : 0;
            String id = has(flags, FLAG_ID) ? text() : null;
            String type = has(flags, FLAG_TYPE) ? text() : null;
            String key = has(flags, FLAG_KEY) ? text() : null;
            boolean times = has(flags, FLAG_TIMES);
            long publishedAt = times ? varint() : 0;
            long notBefore = times ? varint() : 0;
            boolean limits = has(flags, FLAG_LIMITS);
            long timeout = limits ? varint() : 0;
            int maxAttempts = limits ? (int) varint() : 0;
            String dedupKey = limits ? emptyToNull(text()) : null;
            boolean runs = has(flags, FLAG_RUNS);
            int attempts = runs ? (int) varint() : 0;
            String error = runs ? emptyToNull(text()) : null;
            Map<String, String> headers = has(flags, FLAG_HEADERS) ? headers() : Map.of();
            byte[] payload = Arrays.copyOfRange(buffer, at, buffer.length);
            Task task = new Task(
                    id, queue, type, key, payload, headers, publishedAt, notBefore, timeout, maxAttempts, dedupKey);
            return new Envelope(task, attempts, token, error);
        }

        private static boolean has(int flags, int flag) {
            return (flags & flag) != 0;
        }

        private static @Nullable String emptyToNull(String text) {
            return text.isEmpty() ? null : text;
        }

        private Map<String, String> headers() {
            int count = (int) varint();
            Map<String, String> headers = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                String name = text();
                headers.put(name, text());
            }
            return headers;
        }

        private long fixed() {
            long value = 0;
            for (int i = 0; i < 8; i++) {
                value = (value << 8) | (buffer[at++] & 0xFF);
            }
            return value;
        }

        private long varint() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte b = buffer[at++];
                value |= (long) (b & 0x7F) << shift;
                if (b >= 0) {
                    return value;
                }
            }
        }

        private String text() {
            int length = (int) varint();
            if (length < 0 || at + length > buffer.length) {
                throw new IndexOutOfBoundsException();
            }
            String text = new String(buffer, at, length, StandardCharsets.UTF_8);
            at += length;
            return text;
        }
    }
}
