package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.TaskEvent;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of events: what is recorded with the outcomes of one request. {@code include/success_pages.lua} and {@code
 * include/event_pages.lua} describe the form that scripts read. A record goes on, behind its position, with the letter of its kind;
 * flags; then what those announce: id, type and key, each a text behind its length (a varint); start (6 bytes, ms) and duration (a
 * varint); attempts (a varint) and error (a text, empty if there is none); and the id of the task of which it was a duplicate. Flags
 * and order are those of envelopes, so that scripts can copy these parts.
 */
final class EventPage {

    /** No events. */
    static final byte[] NONE = {};

    private static final int FLAG_DUPLICATE = 1;
    private static final int FLAG_ID = 2;
    private static final int FLAG_TYPE = 4;
    private static final int FLAG_KEY = 8;
    private static final int FLAG_TIMES = 16;
    private static final int FLAG_RUNS = 64;

    private static final byte VERSION = 1;
    private static final int MAX_COUNT = 0xFFFF;
    private static final int MAX_RECORD = 0xFFFF;
    private static final int MAX_EXECUTOR = 255;

    private final byte[] executor;
    private byte[] page = new byte[256];
    private int size = 3;
    private int count;

    private EventPage(String executor) {
        byte[] name = executor.getBytes(StandardCharsets.UTF_8);
        this.executor = name.length > MAX_EXECUTOR ? Arrays.copyOf(name, MAX_EXECUTOR) : name;
        page[0] = VERSION;
        raw(this.executor.length);
        bytes(this.executor);
    }

    /** Packs the events of those outcomes that the policy wants told. */
    static byte[] of(String queue, List<Settle> settles, EventPolicy policy, String executor) {
        EventPage page = new EventPage(executor);
        for (Settle settle : settles) {
            if (settle.verdict() instanceof Verdict.Success success) {
                EventKind kind = kind(success);
                if (success.record() != null && policy.kinds().contains(kind)) {
                    page.add(kind, settle.position(), success.record());
                }
            } else if (settle.verdict() instanceof Verdict.Dead dead) {
                if (policy.kinds().contains(EventKind.DEAD)) {
                    page.add(EventKind.DEAD, settle.position(), Envelope.decode(queue, dead.envelope()));
                }
            } else if (settle.verdict() instanceof Verdict.Retry retry
                    && (policy.kinds().contains(EventKind.FAILED)
                            || policy.kinds().contains(EventKind.SNOOZED))) {
                Envelope envelope = Envelope.decode(queue, retry.envelope());
                EventKind kind = envelope.error() == null ? EventKind.SNOOZED : EventKind.FAILED;
                if (policy.kinds().contains(kind)) {
                    page.add(kind, settle.position(), envelope);
                }
            }
        }
        return page.done();
    }

    private static EventKind kind(Verdict.Success success) {
        return switch (success.end()) {
            case SUCCEEDED -> EventKind.SUCCEEDED;
            case EXPIRED -> EventKind.EXPIRED;
            case CANCELLED -> EventKind.CANCELLED;
        };
    }

    private void add(EventKind kind, Position position, SuccessRecord record) {
        int from = begin(
                kind,
                position,
                record.id(),
                record.type(),
                record.key(),
                FLAG_TIMES | FLAG_RUNS | (record.duplicateOf() == null ? 0 : FLAG_DUPLICATE));
        if (from < 0) {
            return;
        }
        for (int shift = 40; shift >= 0; shift -= 8) {
            raw((int) (record.startedAt() >>> shift));
        }
        varint(Math.max(0, record.durationMillis()));
        varint(Math.max(0, record.attempt()));
        varint(0);
        optional(record.duplicateOf());
        end(from);
    }

    private void add(EventKind kind, Position position, Envelope envelope) {
        int from = begin(
                kind,
                position,
                envelope.task().id(),
                envelope.task().type(),
                envelope.task().key(),
                FLAG_RUNS);
        if (from < 0) {
            return;
        }
        varint(envelope.attempts());
        text(envelope.error() == null ? "" : envelope.error());
        end(from);
    }

    /** @return where the record begins; -1 if the page has no room for another one */
    private int begin(
            EventKind kind,
            Position position,
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            int flags) {
        if (count == MAX_COUNT) {
            return -1;
        }
        ensure(2);
        int from = size;
        size += 2;
        byte[] place = position.text().getBytes(StandardCharsets.UTF_8);
        raw(place.length);
        bytes(place);
        raw(kind.letter());
        raw(flags | (id == null ? 0 : FLAG_ID) | (type == null ? 0 : FLAG_TYPE) | (key == null ? 0 : FLAG_KEY));
        optional(id);
        optional(type);
        optional(key);
        return from;
    }

    private void end(int from) {
        int length = size - from - 2;
        if (length > MAX_RECORD) { // Ids, types, keys and errors have bounds far below.
            throw new IllegalStateException("The record of an event has " + length + " bytes");
        }
        page[from] = (byte) (length >>> 8);
        page[from + 1] = (byte) length;
        count++;
    }

    private byte[] done() {
        if (count == 0) {
            return NONE;
        }
        page[1] = (byte) (count >>> 8);
        page[2] = (byte) count;
        return Arrays.copyOf(page, size);
    }

    private void optional(@Nullable String text) {
        if (text != null) {
            text(text);
        }
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        varint(bytes.length);
        bytes(bytes);
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

    private void bytes(byte[] more) {
        ensure(more.length);
        System.arraycopy(more, 0, page, size, more.length);
        size += more.length;
    }

    private void ensure(int more) {
        if (size + more > page.length) {
            page = Arrays.copyOf(page, Math.max(page.length * 2, size + more));
        }
    }

    /**
     * Reads an element of the list of events.
     *
     * @throws IllegalArgumentException if its version is unknown
     */
    static List<TaskEvent> read(Partition partition, byte[] element) {
        ByteBuffer in = ByteBuffer.wrap(element);
        long number = in.getLong();
        long micros = in.getLong();
        byte version = in.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("A page of events of version " + version
                    + " cannot be read: this program knows version " + VERSION);
        }
        int count = in.getShort() & 0xFFFF;
        String executor = text(in, in.get() & 0xFF);
        List<TaskEvent> events = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int after = (in.getShort() & 0xFFFF) + in.position();
            events.add(event(in, partition, number + i, micros, executor));
            in.position(after);
        }
        return events;
    }

    private static TaskEvent event(ByteBuffer in, Partition partition, long number, long micros, String executor) {
        Position position = new Position(text(in, in.get() & 0xFF));
        EventKind kind = EventKind.of((char) in.get());
        int flags = in.get();
        String id = optional(in, flags & FLAG_ID);
        String type = optional(in, flags & FLAG_TYPE);
        String key = optional(in, flags & FLAG_KEY);
        long startedAt = 0;
        long duration = 0;
        if ((flags & FLAG_TIMES) != 0) {
            startedAt = ((long) in.getShort() & 0xFFFF) << 32 | in.getInt() & 0xFFFF_FFFFL;
            duration = varint(in);
        }
        int attempts = (flags & FLAG_RUNS) == 0 ? 0 : (int) varint(in);
        String error = optional(in, flags & FLAG_RUNS);
        String duplicateOf = optional(in, flags & FLAG_DUPLICATE);
        return new TaskEvent(
                kind,
                partition,
                position,
                number,
                micros,
                id,
                type,
                key,
                attempts,
                startedAt,
                duration,
                executor,
                error == null || error.isEmpty() ? null : error,
                duplicateOf);
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
}
