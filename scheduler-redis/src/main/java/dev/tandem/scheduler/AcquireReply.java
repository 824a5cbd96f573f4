package dev.tandem.scheduler;

import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The answer of an acquire, with the pages that follow. */
final class AcquireReply implements PagedReply {

    /** The bytes of bits in one field of the hash of settled offsets; see {@code include/settled_bits.lua}. */
    private static final int BLOCK_BYTES = 64;

    private static final int BLOCKS_IN_CHUNK = SettledChunk.BITS / 8 / BLOCK_BYTES;

    private final long leaseMillis;
    private final long epoch;
    private final String runId;
    private final long incarnation;
    private final long highWater;
    private final long storedCommit;
    private final List<OtherClaim> otherClaims;
    private final Map<String, BlockedKey> blocked = new LinkedHashMap<>();
    private final long blockedKeys;
    private final long nextDueMillis;
    private final long nextLapseMillis;
    private final long quietMillis;
    private final List<Long> presentedTokens;
    private final boolean hasLines;

    private final TreeMap<Long, byte[]> chunks = new TreeMap<>();
    private final RedeliveryHistoryPages history = new RedeliveryHistoryPages();

    /** Where the next page begins. Section 0: there is none. */
    private int section;

    private byte[] cursor = {};

    /** Reads the reply of {@code acquire} after its first element, which says that it was applied. */
    AcquireReply(ReplyReader in, long leaseMillis) {
        this.leaseMillis = leaseMillis;
        epoch = in.number();
        runId = in.text();
        incarnation = requireIncarnation(in.number());
        highWater = in.number();
        storedCommit = in.number();
        otherClaims = in.list().all(AcquireReply::otherClaim);
        addBlocked(in.list());
        blockedKeys = in.number();
        nextDueMillis = in.number();
        nextLapseMillis = in.number();
        quietMillis = in.number();
        presentedTokens = in.list().all(ReplyReader::number);
        addPage(in.list());
        hasLines = in.flag();
    }

    private static long requireIncarnation(long number) {
        if (number < 0) {
            throw new IllegalStateException("The owner's field 'incarnation' in Redis is " + number
                    + ", it must be 0 or more: the data of the partition was damaged");
        }
        return number;
    }

    private static OtherClaim otherClaim(ReplyReader in) {
        return new OtherClaim(in.position(), in.number(), in.maybeText(), in.flag(), in.number());
    }

    @Override
    public @Nullable ScriptCall nextPage() {
        return section == 0
                ? null
                : ScriptCall.of(Script.READ_ACQUIRED)
                        .number(epoch)
                        .number(section)
                        .bytes(cursor)
                        .number(leaseMillis)
                        .build();
    }

    /** @return false if somebody else has acquired the partition since */
    @Override
    public boolean add(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        int code = in.count();
        if (code == ScriptCodes.REPLY_FENCED) {
            return false;
        } else if (code != ScriptCodes.REPLY_OK) {
            throw ScriptCodes.unknown("reply code", code);
        }
        addPage(in.list());
        return true;
    }

    /** Adds a page in the form that {@code include/acquired_pages.lua} describes. */
    private void addPage(ReplyReader page) {
        addBlocks(page.list());
        addBlocked(page.list());
        history.addLapsed(page.list());
        history.addAwaiting(page.list());
        history.addPages(page.list());
        history.addGiven(page.list());
        section = page.count();
        cursor = page.bytes();
    }

    private void addBlocks(ReplyReader blocks) {
        while (blocks.hasMore()) {
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
    }

    private void addBlocked(ReplyReader entries) {
        while (entries.hasMore()) {
            String key = entries.text();
            BlockedEntry entry = BlockedEntry.parse(entries.text());
            blocked.put(key, new BlockedKey(key, entry.reason(), entry.head()));
        }
    }

    @Override
    public Acquired answer() {
        List<SettledChunk> settled = new ArrayList<>(chunks.size());
        chunks.forEach((index, bits) -> settled.add(new SettledChunk(index, bits)));
        return new Acquired(
                epoch,
                runId,
                incarnation,
                highWater,
                storedCommit,
                otherClaims,
                settled,
                List.copyOf(blocked.values()),
                blockedKeys,
                nextDueMillis,
                nextLapseMillis,
                quietMillis,
                presentedTokens,
                history.toHistory(),
                hasLines);
    }
}
