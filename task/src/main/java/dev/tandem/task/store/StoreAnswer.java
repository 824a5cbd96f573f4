package dev.tandem.task.store;

import dev.tandem.task.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store's answer to a request.
 *
 * <p>Components of the same name mean the same in all answers: {@code nextDueMillis} is the time until the next task in
 * {@code scheduled} or {@code retry} is due, {@code nextLapseMillis} the time until the earliest claim lapses; both are
 * -1 if there is none. {@code runId} names the store's process. {@code lapses} counts the starts of a task that ended
 * because their lease ran out.
 */
public sealed interface StoreAnswer {

    /** The epoch is not the owner's any more. Nothing was changed. */
    record Fenced() implements StoreAnswer {}

    /** A request with this number was applied before; its answer is not known any more. Nothing was changed. */
    record AlreadyApplied() implements StoreAnswer {}

    /**
     * The number does not follow the stored one. Nothing was changed. If the stored number is below the highest one
     * that was answered, the store has forgotten writes.
     */
    record Gap(long stored) implements StoreAnswer {}

    /**
     * Answers an acquire: the lease of another owner, of a later generation, or of an owner with another source, lives.
     *
     * @param remainingMillis the longest time until it ends
     * @param otherSource the id of the source that the owner reads, if it is not the request's; else empty
     */
    record Refused(String owner, long remainingMillis, String otherSource) implements StoreAnswer {}

    /**
     * Answers an acquire with all that an owner needs to know.
     *
     * @param epoch the number of this ownership; its tokens are epoch + 1, epoch + 2, …
     * @param incarnation the current incarnation
     * @param highWater the high-water mark: no bit at or above it was ever set
     * @param storedCommit the stored commit: offsets below it are settled and committed; -1 if there is none
     * @param otherClaims live claims of other executors
     * @param chunks the settled offsets
     * @param blocked the blocked keys that the owner must know: those that wait for a redelivery, and those of a claim that
     *     was presented or that another executor has. A claim tells of all others ({@link ClaimResult.KeyBlocked})
     * @param blockedKeys how many keys are blocked in all
     * @param quietMillis the rest of the quiet period, in which nothing may be claimed: the store was restarted and may
     *     have forgotten claims of active runs; 0 if there is none
     * @param presentedTokens the tokens of the presented claims that hold now
     * @param history how redeliveries of a message queue are recognised
     * @param hasLines whether tasks wait in lines ({@link ReadLines})
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
            long blockedKeys,
            long nextDueMillis,
            long nextLapseMillis,
            long quietMillis,
            List<Long> presentedTokens,
            RedeliveryHistory history,
            boolean hasLines)
            implements StoreAnswer {

        /** Creates an answer without a redelivery history and lines: of a log, or of a message queue that has none. */
        public Acquired(
                long epoch,
                String runId,
                long incarnation,
                long highWater,
                long storedCommit,
                List<OtherClaim> otherClaims,
                List<SettledChunk> chunks,
                List<BlockedKey> blocked,
                long blockedKeys,
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
                    blockedKeys,
                    nextDueMillis,
                    nextLapseMillis,
                    quietMillis,
                    presentedTokens,
                    RedeliveryHistory.NONE,
                    false);
        }
    }

    /**
     * The unclaimed positions of a message queue's partition by which a redelivery is recognised.
     *
     * @param lapsed positions in the broker's custody whose claims lapsed: a redelivery is certain
     * @param awaitingRedelivery settled positions whose message is certain to be redelivered; those that have waited
     *     longest first
     * @param pages identities of settled positions whose acks may not have arrived; in order
     */
    record RedeliveryHistory(List<LapsedClaim> lapsed, List<Position> awaitingRedelivery, List<IdentityPage> pages) {
        public static final RedeliveryHistory NONE = new RedeliveryHistory(List.of(), List.of(), List.of());
    }

    /** A position whose claim lapsed. */
    record LapsedClaim(Position position, int lapses) {}

    /**
     * Identities of settled messages: 12 ASCII characters for each, as many times as it was settled.
     *
     * @param number {@link #REDELIVERED}, or 0 or more
     */
    record IdentityPage(long number, byte[] identities) {
        /**
         * The page of messages that this partition gave up to redeliveries of other partitions. {@link
         * StoreRequest.RecordCommit} never deletes it.
         */
        public static final long REDELIVERED = -1;

        public static final int IDENTITY_BYTES = 12;
    }

    /**
     * A live claim of another executor.
     *
     * @param inStore whether the store has the task's envelope
     */
    record OtherClaim(
            Position position, long token, @Nullable String key, boolean inStore, long remainingMillis) {}

    /**
     * The settled bits of the offsets from {@code index * BITS} on. The first offset is the highest bit of the first
     * byte, as in Redis.
     */
    record SettledChunk(long index, byte[] bits) {
        public static final int BITS = 16_384;

        public boolean has(long offset) {
            int bit = (int) (offset - index * BITS);
            int at = bit >> 3;
            return bit >= 0 && at < bits.length && (bits[at] & (0x80 >> (bit & 7))) != 0;
        }
    }

    /**
     * A blocked key.
     *
     * @param head the position that must end, or be redelivered, first
     */
    record BlockedKey(String key, BlockReason reason, Position head) {}

    /** Why a key is blocked. */
    enum BlockReason {
        /** Its head is in the store's custody: it waits for its next attempt, is due, or runs. */
        HEAD,
        /** Its head runs under a claim of another executor. */
        OTHER_OWNER,
        /** Its head's claim lapsed while the broker had custody, so it must be redelivered first. */
        REDELIVERY,
        /** Its head is dead, and the policy is to halt. */
        HALTED
    }

    /** Answers {@link StoreRequest.SettleAndClaim}, with results in the request's order. */
    record SettledAndClaimed(List<SettleResult> settles, List<ClaimResult> claims) implements StoreAnswer {}

    /** The result of one {@link StoreRequest.Settle}. */
    sealed interface SettleResult {
        /**
         * The outcome is recorded.
         *
         * @param opened whether the task was the head of a blocked key with an empty lane, which is open now
         */
        record Ok(boolean opened) implements SettleResult {
            public static final Ok PLAIN = new Ok(false);
            public static final Ok OPENED = new Ok(true);
        }

        /** The outcome is recorded, and the next task of the lane is claimed under the given next token. */
        record Next(Position position, int lapses, byte[] envelope) implements SettleResult {}

        /** This outcome was recorded before. */
        record Done() implements SettleResult {
            public static final Done INSTANCE = new Done();
        }

        /** The position is or was claimed under another token, so the outcome is dropped. */
        record Refused() implements SettleResult {
            public static final Refused INSTANCE = new Refused();
        }
    }

    /** The result of one {@link StoreRequest.Claim}. */
    sealed interface ClaimResult {
        /**
         * The claim is granted.
         *
         * @param lapses to be counted as attempts
         */
        record Ok(int lapses) implements ClaimResult {
            public static final Ok FIRST = new Ok(0);
        }

        /** The key is blocked, and this task is not its head. */
        record KeyBlocked(Position head) implements ClaimResult {}

        /** There is nothing to run: the position is settled, claimed, or not held any more. */
        record Done() implements ClaimResult {
            public static final Done INSTANCE = new Done();
        }
    }

    /** Answers {@link StoreRequest.TakeCustody}, with results in the request's order. */
    record CustodyTaken(List<HandOverResult> results, long nextDueMillis) implements StoreAnswer {}

    /** The result of one hand-over. */
    enum HandOverResult {
        OK,
        /** The position is settled, or in the store's custody already. */
        DONE,
        /** Park: the key is not blocked. Custody did not move. */
        OPEN,
        /** Park: a bound is reached. Custody did not move. */
        FULL,
        /** Adopt: the position is neither claimed nor settled. Custody did not move. */
        GONE,
        /**
         * The store's memory is full. Custody did not move, and the hand-over may be tried again later. All results of
         * a request are NO_ROOM, or none is.
         */
        NO_ROOM
    }

    /**
     * Answers {@link StoreRequest.ClaimDue}.
     *
     * @param more whether more tasks are due than the limits allowed
     */
    record DueTasks(List<DueTask> claimed, List<DueTask> offered, long nextDueMillis, boolean more)
            implements StoreAnswer {}

    /**
     * A task that is due.
     *
     * @param token the token of its claim; 0 if it is only offered
     * @param head whether it was claimed as the head of its blocked key
     */
    record DueTask(Position position, long token, int lapses, byte[] envelope, boolean head) {}

    /**
     * Answers {@link ReadLines}.
     *
     * @param tasks the tasks of the lines that were to be read, in the request's order, each line in its own order
     * @param more the lines that have further tasks, or may have some
     * @param found lines with tasks, in order, as many as an answer names
     */
    record LinesRead(List<LineTask> tasks, List<Integer> more, List<Integer> found) implements StoreAnswer {}

    /**
     * A task of a line.
     *
     * @param place after which the next of the line are read
     * @param head whether its key is blocked by it
     */
    record LineTask(int line, Position position, long place, boolean head, byte[] envelope) {}

    /**
     * Answers {@link StoreRequest.RenewLeases}.
     *
     * @param lost positions that are not claimed under their token any more
     * @param opened keys whose head another executor or an operator has ended since the last renewal: they are open, or
     *     their next task is due
     * @param custody what the store holds of the partition
     * @param blockedKeys how many keys are blocked
     * @param tokens the time that new tokens follow
     * @param durable false if the replicas, or the disk, have not confirmed the write; then the probe does not count
     */
    record LeasesRenewed(
            String runId,
            List<Position> lost,
            List<String> opened,
            long nextDueMillis,
            long nextLapseMillis,
            Custody custody,
            long blockedKeys,
            TokenTime tokens,
            boolean durable)
            implements StoreAnswer {}

    /**
     * The unfinished tasks of a partition that the store holds.
     *
     * @param bytes the memory that they take, estimated from some of them; {@link #NOT_ESTIMATED} in most answers
     */
    record Custody(long tasks, long bytes) {
        public static final long NOT_ESTIMATED = -1;
        public static final Custody NONE = new Custody(0, 0);
    }

    /**
     * The time that the tokens of a partition follow, so that those of two partitions compare by time.
     *
     * @param micros the store's clock, epoch microseconds
     * @param leadMicros how far tokens are ahead of it. Shrinks by half of the time that passes, down to 0
     */
    record TokenTime(long micros, long leadMicros) {
        /** A time that moves no token. */
        public static final TokenTime NONE = new TokenTime(0, 0);
    }

    /**
     * Answers {@link StoreRequest.ExpireLeases}.
     *
     * @param returned the number of claims that lapsed
     * @param waiting keys that wait for the redelivery of a task whose claim lapsed now
     */
    record LeasesExpired(int returned, List<BlockedKey> waiting, long nextDueMillis, long nextLapseMillis)
            implements StoreAnswer {}

    /**
     * Answers {@link StoreRequest.DeclineOffers}, {@link StoreRequest.RecordCommit},
     * {@link StoreRequest.AbandonPosition} and {@link StoreRequest.Release}.
     */
    record Ok(long nextDueMillis) implements StoreAnswer {
        public static final Ok NOTHING_DUE = new Ok(-1);
    }

    /**
     * Answers {@link StoreRequest.KeepClaims}.
     *
     * @param lost positions that are not claimed under their token any more
     */
    record ClaimsKept(List<Position> lost) implements StoreAnswer {}

    /**
     * Answers {@link StoreRequest.SettleLate}.
     *
     * @param recorded false if the outcome was refused
     */
    record LateSettled(boolean recorded) implements StoreAnswer {}

    /**
     * Answers {@link StoreRequest.ListKnownPositions}.
     *
     * @param complete false if the store was restarted and may have forgotten active runs, because the owner has not
     *     acquired the partition since, or did so less than a lease ago
     * @param claims live claims of tasks in the broker's custody
     */
    record KnownPositions(String runId, boolean complete, List<LiveClaim> claims, RedeliveryHistory history)
            implements StoreAnswer {}

    /**
     * A live claim of a task in the broker's custody.
     *
     * @param ofFormerOwner whether the claim is not of the partition's stored owner. Then the channel that delivered
     *     the message is gone, and a redelivery is certain
     */
    record LiveClaim(Position position, boolean ofFormerOwner, long remainingMillis) {}

    /**
     * Answers {@link StoreRequest.ForwardRedeliveries}.
     *
     * @param runId if it is still the same at least a horizon later, this answer is durable
     * @param results the results in the request's order. OK: the store has custody. DONE: the task was settled. GONE: the
     *     partition does not know the position, or gave it up to another asker
     * @param durable false if the replicas, or the disk, have not confirmed what was answered a horizon ago
     */
    record RedeliveriesForwarded(String runId, List<HandOverResult> results, boolean durable) implements StoreAnswer {}

    /**
     * Answers {@link RunRequest.SaveCheckpoint} and {@link RunRequest.ReadCheckpoint}. Unless the run is CLAIMED, nothing was
     * kept or read.
     *
     * @param value the checkpoint that was asked for; null if there is none
     */
    record Checkpoint(RunRequest.Standing standing, byte @Nullable [] value) implements StoreAnswer {}

    /** Answers {@link RunRequest.KeepProgress} with the number of runs whose notes were kept. */
    record ProgressKept(int runs) implements StoreAnswer {}
}
