package dev.tandem.task.store;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What may be asked of a store. All are atomic. Times in requests are relative or epoch milliseconds; the store uses
 * its own clock.
 */
public sealed interface StoreRequest {

    /**
     * As an incarnation: the partition is one of a queue (RabbitMQ), whose positions have no offset. Where a log's
     * request names a bit, it names a <em>page</em> then: 0 or more, what settles the position appends the 12
     * characters of its identity (the 2nd to the 13th of the position) to that page; or {@link #AWAITS_REDELIVERY}; -1: nothing.
     */
    long NO_INCARNATION = -1;

    /**
     * As a page: the channel that delivered this message is gone, so it is certain to come again. Its position is noted
     * as owed, unless the store has its envelope already, for then it came.
     */
    long AWAITS_REDELIVERY = -2;

    Partition partition();

    /** Requests of an owner: the epoch is checked, then the number. */
    sealed interface OwnerRequest extends StoreRequest {
        RequestHeader header();

        @Override
        default Partition partition() {
            return header().partition();
        }
    }

    /**
     * Takes ownership, or takes it again. Begins a new epoch for the line, whose next number follows this one's; any
     * number higher than the stored one is accepted, an equal one is APPLIED.
     *
     * <p>Afterwards the store's claims of {@code executor} are exactly the presented ones: presented claims are facts,
     * written unless their position is settled by this or a later token, or claimed under a higher one. Other claims of
     * this executor never started (their answer was missed) and go back without spending an attempt.
     *
     * @param executor unique per process start
     * @param leaseMillis of the partition and of the presented claims
     * @param generation Kafka's group generation; an older one than stored is refused while the stored owner's lease
     *     lives; -1: refused while another's lease lives
     * @param sourceId Kafka's topic id; a changed one begins a new incarnation; "" where there is none
     * @param committed the broker's committed offset; one below the mirror begins a new incarnation; -1: none
     */
    record Acquire(
            RequestHeader header,
            String executor,
            long leaseMillis,
            long generation,
            String sourceId,
            long committed,
            List<PresentedClaim> presented)
            implements OwnerRequest {}

    /**
     * A claim that is still held by its executor, or whose outcome is.
     *
     * @param bit the task's offset in the incarnation's bitmap; -1 if it has none, as in a queue
     * @param outcomeNumber the number of this line's request that carried the outcome; 0 if none did yet. If that number was
     *     applied, the claim has ended
     * @param after the token of the claim from which this one is relayed ({@link Settle#then}), 0 if from none: while that
     *     one is presented and has not ended, this one holds without being written; the relay, sent again, brings it
     */
    record PresentedClaim(
            Position position,
            long token,
            @Nullable String key,
            int attempt,
            long bit,
            long outcomeNumber,
            long after) {

        public PresentedClaim(
                Position position, long token, @Nullable String key, int attempt, long bit, long outcomeNumber) {
            this(position, token, key, attempt, bit, outcomeNumber, 0);
        }

        public PresentedClaim(Position position, long token, @Nullable String key, int attempt, long bit) {
            this(position, token, key, attempt, bit, 0);
        }
    }

    /**
     * Settles outcomes, then claims. The hot path.
     *
     * @param incarnation whose bits are meant
     * @param highWater one above the highest offset that this line ever named; the stored mark never falls
     */
    record SettleAndClaim(
            RequestHeader header,
            long leaseMillis,
            long incarnation,
            long highWater,
            List<Settle> settles,
            List<Claim> claims)
            implements OwnerRequest {}

    /**
     * One outcome. Refused unless the position's claim has exactly this token; the deadline is not looked at.
     *
     * @param bit set when the position is settled by this; -1: none. In a queue its page
     * @param nextToken if the task was the head of a blocked key and another one is parked there, that one is claimed
     *     under this token; 0: it is made due now instead
     * @param then null, or the claim of the task that this process started when this one had ended, in the same lane: the
     *     key's claim passes to it, if this settle is recorded and the key is open
     */
    record Settle(
            Position position,
            long token,
            @Nullable String key,
            long bit,
            Verdict verdict,
            long nextToken,
            @Nullable Claim then) {

        public Settle(Position position, long token, @Nullable String key, long bit, Verdict verdict, long nextToken) {
            this(position, token, key, bit, verdict, nextToken, null);
        }
    }

    /** What a {@link Settle} records. */
    sealed interface Verdict {

        /** Ended well. @param sample an envelope to keep in the history of the latest, or null */
        record Success(byte @Nullable [] sample) implements Verdict {}

        /** Again after a delay; blocks its key with this task as head. The envelope replaces any that is there. */
        record Retry(long delayMillis, byte[] envelope) implements Verdict {}

        /** Given up. The envelope is kept among the dead. With HALT the key stays (or becomes) blocked by it. */
        record Dead(DeadHead deadHead, byte[] envelope) implements Verdict {}

        /**
         * Not started. In the broker's custody the claim just goes; in the store's the task is due again now. No
         * attempt is spent, no bit set.
         */
        record Returned() implements Verdict {}
    }

    /**
     * One claim.
     *
     * @param token higher than every earlier one of this line
     * @param key null for a task without order; else the claim is BLOCKED if the key is, unless this position is its
     *     head
     * @param inStore true if the store has the task's envelope (it was offered by {@link ClaimDue}); then DONE if it has not
     * @param bit asks for DONE if this bit of the incarnation is set; -1: the core knows that it is not. A former owner's
     *     outcome sets bits that no acquire has told of
     */
    record Claim(Position position, long token, @Nullable String key, boolean inStore, long bit) {

        public Claim(Position position, long token, @Nullable String key, boolean inStore) {
            this(position, token, key, inStore, -1);
        }
    }

    /** Moves custody to the store, in order. */
    record TakeCustody(
            RequestHeader header,
            long incarnation,
            long highWater,
            int maxParkedPerKey,
            int maxParkedPerPartition,
            List<HandOver> entries)
            implements OwnerRequest {}

    /**
     * @param envelope null only where the store has it already
     * @param bit set when OK or DONE; -1: none. In a queue its page; a DONE takes the position out of what is owed
     */
    record HandOver(Position position, @Nullable String key, long bit, Move move, byte @Nullable [] envelope) {}

    /** Why custody moves. */
    sealed interface Move {

        /** Not due before then (epoch milliseconds). Enters no lane until it is due. */
        record Schedule(long dueAt) implements Move {}

        /**
         * To the end of its blocked key's lane. OPEN if the key is not blocked, FULL at a bound (and then so is every
         * later park of this key in this request). A position that the store holds as scheduled or due moves its lane.
         */
        record Park() implements Move {}

        /**
         * The envelope of a running task, under its live claim, whoever's it is; its key (if any) becomes blocked with
         * this task as head. DONE if the position is settled; GONE if neither claimed nor settled.
         */
        record Adopt() implements Move {}

        /** A message that can't be read: dead at once. Touches no key. */
        record Bury() implements Move {}
    }

    /**
     * Takes what fell due. Unkeyed tasks and heads of blocked keys are claimed under tokens from {@code firstToken} on;
     * other keyed ones are offered: returned, and hidden for a lease, for the core to claim or park in the order in which
     * tasks enter their lanes.
     *
     * @param maxClaims free slots, 0 or more
     * @param maxOffers room for offered tasks, 0 or more
     */
    record ClaimDue(
            RequestHeader header, long leaseMillis, int maxClaims, int maxOffers, long firstToken, boolean ordered)
            implements OwnerRequest {}

    /**
     * Extends the owner's lease and those of the given running claims. With no claims it is the probe.
     *
     * @param positions running claims, with {@code tokens} at the same index
     */
    record RenewLeases(RequestHeader header, long leaseMillis, List<Position> positions, long[] tokens)
            implements OwnerRequest {}

    /**
     * Moves what lapsed: with an envelope to due now, else to {@code attempts}, and its key waits for that position.
     *
     * @param extendMillis above 0: this process was deaf or the store restarted; all deadlines are first moved on by
     *     this much and nothing lapses now
     */
    record ExpireLeases(RequestHeader header, int limit, long extendMillis, boolean ordered) implements OwnerRequest {}

    /** The mirror of the committed offset; chunks of bits wholly below it go. In a queue: the pages below it go. */
    record RecordCommit(RequestHeader header, long incarnation, long committed) implements OwnerRequest {}

    /**
     * The position that a lapsed key waited for is proven gone: its key goes on.
     *
     * @param key null: the position is only forgotten, with its lapses and as owed, unless it is claimed or held
     */
    record AbandonPosition(
            RequestHeader header,
            Position position,
            @Nullable String key) implements OwnerRequest {}

    /** Gives the partition up: the owner's lease ends now, claims stay. */
    record Release(RequestHeader header) implements OwnerRequest {}

    /**
     * A former owner's outcome, by token only. The lane's next becomes due now; {@code nextToken} is ignored.
     *
     * @param incarnation whose bit is meant. With {@link #QUEUE} the position is {@link #AWAITS_REDELIVERY}, whatever the bit says: a
     *     former owner can ack nothing
     */
    record SettleLate(Partition partition, long incarnation, Settle settle) implements StoreRequest {}

    /**
     * Extends the leases of a former owner's running claims, by token only.
     *
     * @param positions with {@code tokens} at the same index
     */
    record KeepClaims(Partition partition, long leaseMillis, List<Position> positions, long[] tokens)
            implements StoreRequest {}

    /** What a redelivery of a queue could be that this partition knows. By no epoch, changes nothing. */
    record ListKnownPositions(Partition partition) implements StoreRequest {}

    /**
     * Gives messages that came again to another partition of an unordered queue to the one that had them: their
     * custody moves to the store there. By no epoch; the owner is woken. The same again is answered the same.
     *
     * @param by who asks, the same until its process ends; a position is given up to one asker only
     * @param afterMillis none of them is claimed again before this time has passed. For messages without an id, which must be
     *     acked by then: one whose task kills its executors would be taken for another each time it comes again
     * @param messages may be none: then it only asks whether what was answered a horizon ago is durable
     */
    record ForwardRedeliveries(Partition partition, String by, long afterMillis, List<Redelivery> messages)
            implements StoreRequest {}

    /** @param position the one that it had in the asked partition */
    record Redelivery(Position position, byte[] envelope) {}
}
