package dev.tandem.task.store;

import dev.tandem.task.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a store answers. */
public sealed interface StoreAnswer {

    /** The epoch is not the owner's any more. Nothing was changed. */
    record Fenced() implements StoreAnswer {}

    /** This number was applied before, its answer is not known any more. Nothing was changed. */
    record AlreadyApplied() implements StoreAnswer {}

    /**
     * The number does not follow the stored one. Nothing was changed. A stored number below the highest answered one
     * means that the store LOST writes.
     */
    record Gap(long stored) implements StoreAnswer {}

    /** To an acquire: another's lease lives. @param remainingMillis how long at most */
    record Refused(String owner, long remainingMillis) implements StoreAnswer {}

    /**
     * To an acquire.
     *
     * @param epoch this ownership; tokens are epoch + 1, 2, …
     * @param runId the store's process
     * @param incarnation the current one
     * @param highWater bits at or above it were never set
     * @param storedCommit offsets below it are settled and committed; -1: none
     * @param otherClaims live claims of other executors
     * @param chunks settled offsets
     * @param blocked every blocked key
     * @param nextDueMillis until the next scheduled or retried task is due; -1: none
     * @param nextLapseMillis until the earliest deadline in flight; -1: none
     * @param quietMillis for how long nothing may be claimed yet: the store was restarted and may have forgotten claims
     *     that others still run; 0: no wait
     * @param presentedTokens the tokens of the presented claims that hold now
     * @param history what else a redelivery of a queue could be
     */
    record Acquired(
            long epoch,
            String runId,
            long incarnation,
            long highWater,
            long storedCommit,
            List<OtherClaim> otherClaims,
            List<SettledChunk> chunks,
            List<BlockedKey> blocked,
            long nextDueMillis,
            long nextLapseMillis,
            long quietMillis,
            List<Long> presentedTokens,
            RedeliveryHistory history)
            implements StoreAnswer {

        /** Of a log, or of a queue without a past. */
        public Acquired(
                long epoch,
                String runId,
                long incarnation,
                long highWater,
                long storedCommit,
                List<OtherClaim> otherClaims,
                List<SettledChunk> chunks,
                List<BlockedKey> blocked,
                long nextDueMillis,
                long nextLapseMillis,
                long quietMillis,
                List<Long> presentedTokens) {
            this(
                    epoch,
                    runId,
                    incarnation,
                    highWater,
                    storedCommit,
                    otherClaims,
                    chunks,
                    blocked,
                    nextDueMillis,
                    nextLapseMillis,
                    quietMillis,
                    presentedTokens,
                    RedeliveryHistory.NONE);
        }
    }

    /**
     * What is known of positions that have no claim, by which a queue's redelivery can be recognised.
     *
     * @param lapsed in the broker's custody, their claims lapsed: a redelivery is certain
     * @param awaitingRedelivery settled, and their message is certain to come again; the longest owed first
     * @param pages settled, and their acks may or may not have arrived; in order
     */
    record RedeliveryHistory(List<LapsedClaim> lapsed, List<Position> awaitingRedelivery, List<IdentityPage> pages) {
        public static final RedeliveryHistory NONE = new RedeliveryHistory(List.of(), List.of(), List.of());
    }

    /** @param lapses starts that ended with a lapsed lease */
    record LapsedClaim(Position position, int lapses) {}

    /**
     * Identities that were settled, 12 ASCII characters each, as often as they were.
     *
     * @param number {@link #REDELIVERED} or 0 or more
     */
    record IdentityPage(long number, byte[] identities) {
        /** Of the messages that other partitions gave back to this one. It is never dropped by Committed. */
        public static final long REDELIVERED = -1;

        public static final int IDENTITY_BYTES = 12;
    }

    /** @param inStore the store has its envelope */
    record OtherClaim(
            Position position, long token, @Nullable String key, boolean inStore, long remainingMillis) {}

    /** Bits of offsets {@code index * BITS} on; the first offset is the highest bit of the first byte, as in Redis. */
    record SettledChunk(long index, byte[] bits) {
        public static final int BITS = 16_384;

        public boolean has(long offset) {
            int bit = (int) (offset - index * BITS);
            int at = bit >> 3;
            return bit >= 0 && at < bits.length && (bits[at] & (0x80 >> (bit & 7))) != 0;
        }
    }

    /** @param head the position that must end or come first */
    record BlockedKey(String key, BlockReason reason, Position head) {}

    /** Why a key is blocked. */
    enum BlockReason {
        /** Its head waits for its next attempt, or is due, or runs, in the store's custody. */
        HEAD,
        /** Its head runs under a claim of another executor. */
        OTHER_OWNER,
        /** Its head's claim lapsed while the broker had custody: it must be redelivered first. */
        REDELIVERY,
        /** Its head is dead and the policy is to halt. */
        HALTED
    }

    /** To a step; codes in the request's order. */
    record SettledAndClaimed(List<SettleResult> settles, List<ClaimResult> claims) implements StoreAnswer {}

    /** What became of one settle. */
    sealed interface SettleResult {
        /** Recorded. @param opened it was the head of a blocked key, whose lane is empty: the key is open now */
        record Ok(boolean opened) implements SettleResult {
            public static final Ok PLAIN = new Ok(false);
            public static final Ok OPENED = new Ok(true);
        }

        /** Recorded, and the lane's next is claimed under the given next token. */
        record Next(Position position, int lapses, byte[] envelope) implements SettleResult {}

        /** This outcome is there already. */
        record Done() implements SettleResult {
            public static final Done INSTANCE = new Done();
        }

        /** Another token holds or held the position: the outcome is dropped. */
        record Refused() implements SettleResult {
            public static final Refused INSTANCE = new Refused();
        }
    }

    /** What became of one claim. */
    sealed interface ClaimResult {
        /** @param lapses starts that ended with a lapsed lease, to be counted as attempts */
        record Ok(int lapses) implements ClaimResult {
            public static final Ok FIRST = new Ok(0);
        }

        /** The key is blocked and this is not its head. */
        record KeyBlocked(Position head) implements ClaimResult {}

        /** The position is settled, or claimed by another, or no longer held: there is nothing to run. */
        record Done() implements ClaimResult {
            public static final Done INSTANCE = new Done();
        }
    }

    /** To a hand-over; codes in the request's order. @param nextDueMillis as in {@link Acquired} */
    record CustodyTaken(List<HandOverResult> codes, long nextDueMillis) implements StoreAnswer {}

    /** What became of one hand-over. */
    enum HandOverResult {
        OK,
        /** The position is settled, or in the store's custody already. */
        DONE,
        /** Park: the key is not blocked. Custody did not move. */
        OPEN,
        /** Park: at a bound. Custody did not move. */
        FULL,
        /** Adopt: neither claimed nor settled. Custody did not move. */
        GONE,
        /** The store's memory is full. Custody did not move; it may be tried again later. All of one request have it. */
        NO_ROOM
    }

    /** To a due. @param more there is more than the limits let through */
    record DueTasks(List<DueTask> claimed, List<DueTask> offered, long nextDueMillis, boolean more)
            implements StoreAnswer {}

    /** @param token of the claim; 0 if it is only offered */
    record DueTask(Position position, long token, int lapses, byte[] envelope) {}

    /**
     * To a renew.
     *
     * @param lost positions that are not ours under that token any more
     * @param opened keys that foreign or dead heads blocked and that went on since: open, or with a next one due
     * @param durable false: written, but its replicas did not confirm; the probe does not count
     */
    record LeasesRenewed(
            String runId,
            List<Position> lost,
            List<String> opened,
            long nextDueMillis,
            long nextLapseMillis,
            boolean durable)
            implements StoreAnswer {}

    /** To a patrol. @param waiting keys that wait for a position to be redelivered */
    record LeasesExpired(int returned, List<BlockedKey> waiting, long nextDueMillis, long nextLapseMillis)
            implements StoreAnswer {}

    /** To committed, gone and release. */
    record Ok(long nextDueMillis) implements StoreAnswer {
        public static final Ok NOTHING_DUE = new Ok(-1);
    }

    /** To a keep. @param lost positions that are not ours under that token any more */
    record ClaimsKept(List<Position> lost) implements StoreAnswer {}

    /** To a late outcome. @param recorded false: refused by its token */
    record LateSettled(boolean recorded) implements StoreAnswer {}

    /**
     * To a recall.
     *
     * @param runId the store's process
     * @param complete false: the store was restarted and may have forgotten what runs; its owner has not acquired the
     *     partition since, or a lease ago at most
     * @param claims live ones in the broker's custody
     */
    record KnownPositions(String runId, boolean complete, List<LiveClaim> claims, RedeliveryHistory history)
            implements StoreAnswer {}

    /**
     * @param former it is not the partition's stored owner who has the claim: the channel that delivered the message is
     *     gone, and a redelivery is certain
     */
    record LiveClaim(Position position, boolean former, long remainingMillis) {}

    /**
     * To a redeliver.
     *
     * @param runId the store's process. Under the same one at least a horizon later, an answer is durable
     * @param codes in the request's order. OK: the store has custody; DONE: it was settled; GONE: the partition does not
     *     know the position (any more), or gave it to another
     * @param durable false: its replicas did not confirm what was answered a horizon ago
     */
    record RedeliveriesForwarded(String runId, List<HandOverResult> codes, boolean durable) implements StoreAnswer {}
}
