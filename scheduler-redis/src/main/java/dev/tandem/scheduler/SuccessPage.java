package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.Utf8;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * What is kept of the tasks that one request settles as successful. {@code include/success_pages.lua} describes the form
 * that scripts read. A record goes on, behind its position, with flags; attempt (a varint); start (6 bytes, ms); duration
 * (a varint); then what the flags announce, each a text behind its length: id, type, key, earlier attempts, and the id
 * of the task of which it was a duplicate; how the task ended (1 byte) unless it succeeded; and its result, a text.
 * Programs of earlier versions pass over what follows the parts that they know.
 *
 * @param page empty if there is nothing to keep
 * @param hashes of all positions and ids in the page, and of the rare ends that it has, 4 bytes each
 */
record SuccessPage(byte[] page, byte[] hashes) {

    /** One record of a page. */
    record Kept(Position position, SuccessRecord success) {}

    static final SuccessPage NONE = new SuccessPage(new byte[0], new byte[0]);

    private static final byte VERSION = 1;

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

    /** Packs the records of those hand-overs that cancel tasks. */
    static SuccessPage ofCancelled(List<HandOver> handOvers) {
        List<Position> positions = new ArrayList<>();
        List<SuccessRecord> records = new ArrayList<>();
        for (HandOver each : handOvers) {
            if (each.move() instanceof Move.Cancel cancel) {
                positions.add(each.position());
                records.add(cancel.record());
            }
        }
        return of(positions, records);
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
        crc.update(Utf8.bytes(text));
        return ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    }

    /** Returns the hash by which pages are found with tasks that did not succeed but ended so. */
    static byte[] hash(TaskEnd end) {
        return hash(name(end));
    }

    /** Returns a text that no position is. A task may have it as its id: then its page is read for nothing. */
    private static String name(TaskEnd end) {
        return "\0" + end.name();
    }

    /**
     * Reads a page, the earliest outcome first.
     *
     * @throws IllegalArgumentException if the version is unknown
     */
    static List<Kept> read(byte[] page) {
        PageReader in = new PageReader(ByteBuffer.wrap(page), VERSION, "successes");
        return in.records(index -> record(in));
    }

    private static Kept record(PageReader in) {
        Position position = new Position(in.shortText());
        int flags = in.raw();
        int attempt = (int) in.varint();
        long startedAt = in.time();
        long duration = in.varint();
        String id = in.optional(flags & FLAG_ID);
        String type = in.optional(flags & FLAG_TYPE);
        String key = in.optional(flags & FLAG_KEY);
        String attempts = in.optional(flags & FLAG_ATTEMPTS);
        String duplicateOf = in.optional(flags & FLAG_DUPLICATE);
        TaskEnd end = (flags & FLAG_END) == 0 ? TaskEnd.SUCCEEDED : end(in.raw());
        String result = in.optional(flags & FLAG_RESULT);
        return new Kept(
                position,
                new SuccessRecord(
                        id,
                        type,
                        key,
                        attempt,
                        startedAt,
                        duration,
                        in.executor(),
                        attempts,
                        end,
                        result,
                        duplicateOf));
    }

    private static TaskEnd end(byte code) {
        return switch (code) {
            case ScriptCodes.VERDICT_EXPIRED -> TaskEnd.EXPIRED;
            case ScriptCodes.VERDICT_CANCELLED -> TaskEnd.CANCELLED;
            default -> throw ScriptCodes.unknown("end of a task", (char) code);
        };
    }

    private static final class Writer {
        private final CRC32 crc = new CRC32();
        private final PageWriter page;
        private final Set<TaskEnd> rare = EnumSet.noneOf(TaskEnd.class);
        private byte[] hashes;
        private int hashSize;

        Writer(String executor, int records) {
            page = new PageWriter(VERSION, executor, 64 + 56 * records);
            hashes = new byte[8 * records];
        }

        void add(String position, SuccessRecord success) {
            if (!page.begin()) {
                return;
            }
            int hashesBefore = hashSize;
            byte[] place = Utf8.bytes(position);
            page.position(place);
            hash(place);
            page.raw((success.id() == null ? 0 : FLAG_ID)
                    | (success.type() == null ? 0 : FLAG_TYPE)
                    | (success.key() == null ? 0 : FLAG_KEY)
                    | (success.attempts() == null ? 0 : FLAG_ATTEMPTS)
                    | (success.duplicateOf() == null ? 0 : FLAG_DUPLICATE)
                    | (success.end() == TaskEnd.SUCCEEDED ? 0 : FLAG_END)
                    | (success.result() == null ? 0 : FLAG_RESULT));
            page.varint(success.attempt());
            page.time(success.startedAt());
            page.varint(Math.max(0, success.durationMillis()));
            if (success.id() != null) {
                byte[] id = Utf8.bytes(success.id());
                page.text(id);
                hash(id);
            }
            page.optional(success.type());
            page.optional(success.key());
            page.optional(success.attempts());
            page.optional(success.duplicateOf());
            if (success.end() != TaskEnd.SUCCEEDED) {
                page.raw(ScriptCodes.end(success.end()));
            }
            page.optional(success.result());
            if (!page.end()) { // Larger than any bound of its parts allows.
                hashSize = hashesBefore;
            } else if (success.end() != TaskEnd.SUCCEEDED && rare.add(success.end())) {
                hash(Utf8.bytes(name(success.end())));
            }
        }

        /** Adds the hash of a text by which the record is found. */
        private void hash(byte[] text) {
            crc.reset();
            crc.update(text);
            if (hashSize == hashes.length) {
                hashes = Arrays.copyOf(hashes, hashes.length * 2);
            }
            int hash = (int) crc.getValue();
            for (int shift = 24; shift >= 0; shift -= 8) {
                hashes[hashSize++] = (byte) (hash >>> shift);
            }
        }

        SuccessPage done() {
            byte[] bytes = page.done();
            return bytes.length == 0 ? NONE : new SuccessPage(bytes, Arrays.copyOf(hashes, hashSize));
        }
    }
}
