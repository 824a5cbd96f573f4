package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.Utf8;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.TaskEvent;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import java.nio.ByteBuffer;
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

    private final PageWriter out;

    private EventPage(String executor) {
        out = new PageWriter(VERSION, executor, 256);
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
        return page.out.done();
    }

    private static EventKind kind(Verdict.Success success) {
        return switch (success.end()) {
            case SUCCEEDED -> EventKind.SUCCEEDED;
            case EXPIRED -> EventKind.EXPIRED;
            case CANCELLED -> EventKind.CANCELLED;
        };
    }

    private void add(EventKind kind, Position position, SuccessRecord record) {
        int flags = FLAG_TIMES | FLAG_RUNS | (record.duplicateOf() == null ? 0 : FLAG_DUPLICATE);
        if (begin(kind, position, record.id(), record.type(), record.key(), flags)) {
            out.time(record.startedAt());
            out.varint(Math.max(0, record.durationMillis()));
            out.varint(Math.max(0, record.attempt()));
            out.optional("");
            out.optional(record.duplicateOf());
            end();
        }
    }

    private void add(EventKind kind, Position position, Envelope envelope) {
        Task task = envelope.task();
        if (begin(kind, position, task.id(), task.type(), task.key(), FLAG_RUNS)) {
            out.varint(envelope.attempts());
            out.optional(envelope.error() == null ? "" : envelope.error());
            end();
        }
    }

    /** Begins a record. @return false if the page has no room for another one */
    private boolean begin(
            EventKind kind,
            Position position,
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            int flags) {
        if (!out.begin()) {
            return false;
        }
        out.position(Utf8.bytes(position.text()));
        out.raw(kind.letter());
        out.raw(flags | (id == null ? 0 : FLAG_ID) | (type == null ? 0 : FLAG_TYPE) | (key == null ? 0 : FLAG_KEY));
        out.optional(id);
        out.optional(type);
        out.optional(key);
        return true;
    }

    private void end() {
        if (!out.end()) { // Ids, types, keys and errors have bounds far below.
            throw new IllegalStateException("The record of an event is too large for a page");
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
        PageReader page = new PageReader(in, VERSION, "events");
        return page.records(index -> event(page, partition, number + index, micros));
    }

    private static TaskEvent event(PageReader in, Partition partition, long number, long micros) {
        Position position = new Position(in.shortText());
        EventKind kind = EventKind.of((char) in.raw());
        int flags = in.raw();
        String id = in.optional(flags & FLAG_ID);
        String type = in.optional(flags & FLAG_TYPE);
        String key = in.optional(flags & FLAG_KEY);
        long startedAt = 0;
        long duration = 0;
        if ((flags & FLAG_TIMES) != 0) {
            startedAt = in.time();
            duration = in.varint();
        }
        int attempts = (flags & FLAG_RUNS) == 0 ? 0 : (int) in.varint();
        String error = in.optional(flags & FLAG_RUNS);
        String duplicateOf = in.optional(flags & FLAG_DUPLICATE);
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
                in.executor(),
                error == null || error.isEmpty() ? null : error,
                duplicateOf);
    }
}
