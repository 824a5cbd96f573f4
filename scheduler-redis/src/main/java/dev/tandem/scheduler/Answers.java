package dev.tandem.scheduler;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.IdentityPage;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import dev.tandem.task.store.StoreRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what the scripts answer. The one place that knows their return codes. */
final class Answers {

    private static final int OK = 0;
    private static final int APPLIED = 1;
    private static final int GAP = 2;
    private static final int FENCED = 3;
    private static final int REFUSED = 4;

    /** Bits in one field of the hash of settled offsets; see {@code include/bits.lua}. */
    private static final int BLOCK_BYTES = 64;

    private static final int BLOCKS_IN_CHUNK = SettledChunk.BITS / 8 / BLOCK_BYTES;

    /** Where the head begins in an entry of {@code blocked}, after why and since when. */
    private static final int HEAD_AT = 14;

    private Answers() {}

    /** @param durable what a renew and a redeliver say of their replicas */
    static StoreAnswer decode(StoreRequest request, List<Object> reply, boolean durable) {
        Reader in = new Reader(reply);
        int code = in.count();
        return switch (code) {
            case OK -> applied(request, in, durable);
            case APPLIED -> new StoreAnswer.AlreadyApplied();
            case GAP -> new StoreAnswer.Gap(in.number());
            case FENCED -> new StoreAnswer.Fenced();
            case REFUSED -> new StoreAnswer.Refused(in.text(), in.number());
            default -> throw new IllegalStateException("A script answered the unknown code " + code);
        };
    }

    private static StoreAnswer applied(StoreRequest request, Reader in, boolean durable) {
        if (request instanceof StoreRequest.SettleAndClaim step) {
            return new StoreAnswer.SettledAndClaimed(
                    settled(in.list(), step.settles().size()),
                    claimed(in.list(), step.claims().size()));
        } else if (request instanceof StoreRequest.TakeCustody) {
            return new StoreAnswer.CustodyTaken(codes(in.bytes()), in.number());
        } else if (request instanceof StoreRequest.RenewLeases) {
            return new StoreAnswer.LeasesRenewed(
                    in.text(), positions(in.list()), in.list().texts(), in.number(), in.number(), durable);
        } else if (request instanceof StoreRequest.ClaimDue) {
            return new StoreAnswer.DueTasks(
                    dueTasks(in.list(), true), dueTasks(in.list(), false), in.number(), in.number() == 1);
        } else if (request instanceof StoreRequest.Acquire) {
            return acquired(in);
        } else if (request instanceof StoreRequest.ExpireLeases) {
            return new StoreAnswer.LeasesExpired(in.count(), waiting(in.list()), in.number(), in.number());
        } else if (request instanceof StoreRequest.KeepClaims) {
            return new StoreAnswer.ClaimsKept(positions(in.list()));
        } else if (request instanceof StoreRequest.SettleLate) {
            return new StoreAnswer.LateSettled(in.number() == 1);
        } else if (request instanceof StoreRequest.ListKnownPositions) {
            return new StoreAnswer.KnownPositions(in.text(), in.number() == 1, live(in.list()), history(in.list()));
        } else if (request instanceof StoreRequest.ForwardRedeliveries) {
            return new StoreAnswer.RedeliveriesForwarded(in.text(), codes(in.bytes()), durable);
        }
        return new StoreAnswer.Ok(in.number());
    }

    private static StoreAnswer acquired(Reader in) {
        long epoch = in.number();
        String runId = in.text();
        long incarnation = in.number();
        long highWater = in.number();
        long storedCommit = in.number();
        Reader listed = in.list();
        List<OtherClaim> otherClaims = new ArrayList<>();
        while (listed.more()) {
            otherClaims.add(new OtherClaim(
                    listed.position(), listed.number(), listed.maybeText(), listed.number() == 1, listed.number()));
        }
        List<SettledChunk> chunks = chunks(in.list());
        Reader entries = in.list();
        List<BlockedKey> blocked = new ArrayList<>();
        while (entries.more()) {
            blocked.add(blocked(entries.text(), entries.text()));
        }
        long nextDue = in.number();
        long nextLapse = in.number();
        long quiet = in.number();
        Reader tokens = in.list();
        List<Long> presented = new ArrayList<>();
        while (tokens.more()) {
            presented.add(tokens.number());
        }
        return new StoreAnswer.Acquired(
                epoch,
                runId,
                incarnation,
                highWater,
                storedCommit,
                otherClaims,
                chunks,
                blocked,
                nextDue,
                nextLapse,
                quiet,
                presented,
                history(in.list()));
    }

    private static List<LiveClaim> live(Reader in) {
        List<LiveClaim> live = new ArrayList<>();
        while (in.more()) {
            live.add(new LiveClaim(in.position(), in.number() == 1, in.number()));
        }
        return live;
    }

    private static RedeliveryHistory history(Reader in) {
        if (!in.more()) {
            return RedeliveryHistory.NONE;
        }
        Reader lapses = in.list();
        List<LapsedClaim> lapsed = new ArrayList<>();
        while (lapses.more()) {
            lapsed.add(new LapsedClaim(lapses.position(), lapses.count()));
        }
        return new RedeliveryHistory(lapsed, positions(in.list()), pages(in.list(), in.bytes()));
    }

    /** @param elements the number of a page in 4 bytes, and identities */
    private static List<IdentityPage> pages(Reader elements, byte[] given) {
        TreeMap<Long, ByteArrayOutputStream> pages = new TreeMap<>();
        if (given.length > 0) {
            append(pages, IdentityPage.REDELIVERED, given, 0);
        }
        while (elements.more()) {
            byte[] element = elements.bytes();
            append(pages, ByteBuffer.wrap(element).getInt() & 0xFFFF_FFFFL, element, Integer.BYTES);
        }
        List<IdentityPage> list = new ArrayList<>(pages.size());
        pages.forEach((number, identities) -> list.add(new IdentityPage(number, identities.toByteArray())));
        return list;
    }

    private static void append(Map<Long, ByteArrayOutputStream> pages, long number, byte[] bytes, int from) {
        pages.computeIfAbsent(number, page -> new ByteArrayOutputStream()).write(bytes, from, bytes.length - from);
    }

    static BlockedKey blocked(String key, String entry) {
        BlockReason reason = switch (entry.charAt(0)) {
            case 'H' -> BlockReason.HEAD;
            case 'F' -> BlockReason.OTHER_OWNER;
            case 'R' -> BlockReason.REDELIVERY;
            case 'X' -> BlockReason.HALTED;
            default ->
                throw new IllegalStateException(
                        "The key '" + key + "' is blocked for an unknown reason '" + entry.charAt(0) + "'");
        };
        return new BlockedKey(key, reason, new Position(entry.substring(HEAD_AT)));
    }

    /** Since when the key of this entry is blocked. */
    static long since(String entry) {
        return Long.parseLong(entry.substring(1, HEAD_AT));
    }

    private static List<SettledChunk> chunks(Reader blocks) {
        TreeMap<Long, byte[]> chunks = new TreeMap<>();
        while (blocks.more()) {
            long number = Long.parseLong(blocks.text());
            byte[] bits = blocks.bytes();
            int at = (int) (number % BLOCKS_IN_CHUNK) * BLOCK_BYTES;
            chunks.compute(number / BLOCKS_IN_CHUNK, (index, chunk) -> {
                int length = Math.max(chunk == null ? 0 : chunk.length, at + bits.length);
                byte[] grown = chunk == null ? new byte[length] : Arrays.copyOf(chunk, length);
                System.arraycopy(bits, 0, grown, at, bits.length);
                return grown;
            });
        }
        List<SettledChunk> list = new ArrayList<>(chunks.size());
        chunks.forEach((index, bits) -> list.add(new SettledChunk(index, bits)));
        return list;
    }

    private static List<SettleResult> settled(Reader in, int count) {
        if (!in.more()) {
            return Collections.nCopies(count, SettleResult.Ok.PLAIN);
        }
        List<SettleResult> settled = new ArrayList<>(Collections.nCopies(count, SettleResult.Ok.PLAIN));
        while (in.more()) {
            int index = in.count() - 1;
            int code = in.count();
            settled.set(
                    index,
                    switch (code) {
                        case 1 -> SettleResult.Ok.OPENED;
                        case 2 -> SettleResult.Done.INSTANCE;
                        case 3 -> SettleResult.Refused.INSTANCE;
                        case 4 -> new SettleResult.Next(in.position(), in.count(), in.bytes());
                        default -> throw new IllegalStateException("A settle was answered by the unknown code " + code);
                    });
        }
        return settled;
    }

    private static List<ClaimResult> claimed(Reader in, int count) {
        if (!in.more()) {
            return Collections.nCopies(count, ClaimResult.Ok.FIRST);
        }
        List<ClaimResult> claimed = new ArrayList<>(Collections.nCopies(count, ClaimResult.Ok.FIRST));
        while (in.more()) {
            int index = in.count() - 1;
            int code = in.count();
            claimed.set(
                    index,
                    switch (code) {
                        case 1 -> new ClaimResult.Ok(in.count());
                        case 2 -> ClaimResult.Done.INSTANCE;
                        case 3 -> new ClaimResult.KeyBlocked(in.position());
                        default -> throw new IllegalStateException("A claim was answered by the unknown code " + code);
                    });
        }
        return claimed;
    }

    private static List<HandOverResult> codes(byte[] letters) {
        List<HandOverResult> codes = new ArrayList<>(letters.length);
        for (byte letter : letters) {
            codes.add(
                    switch (letter) {
                        case 'O' -> HandOverResult.OK;
                        case 'D' -> HandOverResult.DONE;
                        case 'P' -> HandOverResult.OPEN;
                        case 'F' -> HandOverResult.FULL;
                        case 'G' -> HandOverResult.GONE;
                        case 'M' -> HandOverResult.NO_ROOM;
                        default ->
                            throw new IllegalStateException("A hand-over was answered by the unknown code " + letter);
                    });
        }
        return codes;
    }

    private static List<DueTask> dueTasks(Reader in, boolean claimed) {
        List<DueTask> tasks = new ArrayList<>();
        while (in.more()) {
            tasks.add(new DueTask(in.position(), claimed ? in.number() : 0, in.count(), in.bytes()));
        }
        return tasks;
    }

    private static List<BlockedKey> waiting(Reader in) {
        List<BlockedKey> waiting = new ArrayList<>();
        while (in.more()) {
            waiting.add(new BlockedKey(in.text(), BlockReason.REDELIVERY, in.position()));
        }
        return waiting;
    }

    private static List<Position> positions(Reader in) {
        List<Position> positions = new ArrayList<>();
        while (in.more()) {
            positions.add(in.position());
        }
        return positions;
    }

    /** Walks through a reply. */
    static final class Reader {
        private final List<?> items;
        private int at;

        Reader(List<?> items) {
            this.items = items;
        }

        boolean more() {
            return at < items.size();
        }

        long number() {
            return (Long) next();
        }

        int count() {
            return Math.toIntExact(number());
        }

        byte[] bytes() {
            return (byte[]) next();
        }

        String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        byte @Nullable [] maybeBytes() {
            return (byte[]) items.get(at++);
        }

        @Nullable
        String maybeText() {
            byte[] bytes = maybeBytes();
            return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }

        Position position() {
            return new Position(text());
        }

        Reader list() {
            return new Reader((List<?>) next());
        }

        List<String> texts() {
            List<String> texts = new ArrayList<>();
            while (more()) {
                texts.add(text());
            }
            return texts;
        }

        private Object next() {
            Object item = items.get(at++);
            if (item == null) {
                throw new IllegalStateException("A script answered nothing where something must be, at " + (at - 1));
            }
            return item;
        }
    }
}
