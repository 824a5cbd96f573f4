package dev.tandem.task.store;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to the store. The store applies each one atomically. Times are durations or epoch milliseconds; the store
 * uses its own clock.
 */
public sealed interface StoreRequest
        permits StoreRequest.OwnerRequest,
                StoreRequest.SettleLate,
                StoreRequest.KeepClaims,
                StoreRequest.ListKnownPositions,
                StoreRequest.ForwardRedeliveries,
                RunRequest {

    Partition partition();

    /** A request of a partition's owner. The store checks its epoch, then its number. */
    non-sealed interface OwnerRequest extends StoreRequest {
        RequestHeader header();

        @Override
        default Partition partition() {
            return header().partition();
        }
    }

    /**
     * Takes ownership, or takes it again, and begins a new epoch. Its number may be any that is higher than the stored one; an
     * equal one is answered with {@link StoreAnswer.AlreadyApplied}. The next request follows with the next number.
     *
     * <p>Afterwards the store's claims of {@code executor} are exactly the presented ones. A presented claim is a fact: it is
     * written unless its position is settled under this or a later token, or claimed under a higher one. All other claims of
     * this executor never started, because it missed their answer. They are taken back without spending an attempt.
     *
     * @param executor unique per process start
     * @param leaseMillis the lease of the ownership and of the presented claims
     * @param generation Kafka's group generation. An older one than the stored one is refused while the stored owner's
     *     lease lives. -1: the request is refused while another executor's lease lives
     * @param sourceId Kafka's topic id, or a name of the RabbitMQ queue. A changed id begins a new incarnation, and is
     *     refused while another executor's lease lives. Empty if there is none
     * @param committed the broker's committed offset; an offset below the stored commit begins a new incarnation; -1 if
     *     there is none
     * @param cut Kafka: the log was cut at this offset, so that the offsets from here on are other records than those
     *     that the store knows. If it knows any, a new incarnation begins, which keeps what is settled below.
     *     {@link #NO_CUT} if the log was not cut
     * @param cutOf the last incarnation that has records which the cut took away, so that the store makes nothing void
     *     if its own is later. {@link #ANY_INCARNATION} if it is not known
     */
    record Acquire(
            RequestHeader header,
            String executor,
            long leaseMillis,
            long generation,
            String sourceId,
            long committed,
            long cut,
            long cutOf,
            List<PresentedClaim> presented)
            implements OwnerRequest {

        /** As a cut: there was none. */
        public static final long NO_CUT = -1;

        /** Says that a cut applies to whichever incarnation the store has. */
        public static final long ANY_INCARNATION = -1;

        /** Acquires a partition whose log was not cut. */
        public Acquire(
                RequestHeader header,
                String executor,
                long leaseMillis,
                long generation,
                String sourceId,
                long committed,
                List<PresentedClaim> presented) {
            this(header, executor, leaseMillis, generation, sourceId, committed, NO_CUT, ANY_INCARNATION, presented);
        }

        public Acquire {
            presented = presented.stream()
                    .sorted(Comparator.comparingLong(PresentedClaim::token))
                    .toList();
        }
    }

    /**
     * A claim that its executor still holds, or whose outcome it still holds.
     *
     * @param mark of the task's offset in the current incarnation; {@link SettledMark#NONE} in a message queue
     * @param outcomeNumber the number of this writer's request that carried the outcome; 0 if none did yet. If that
     *     request was applied, the claim has ended
     * @param relayedFrom the token of the claim from which this one is relayed ({@link Settle#then}); 0 if from none.
     *     While that claim is presented and has not ended, this one holds without being written: the relay will be sent
     *     again, and brings it
     */
    record PresentedClaim(
            Position position,
            long token,
            @Nullable String key,
            int attempt,
            SettledMark mark,
            long outcomeNumber,
            long relayedFrom) {

        public PresentedClaim(
                Position position,
                long token,
                @Nullable String key,
                int attempt,
                SettledMark mark,
                long outcomeNumber) {
            this(position, token, key, attempt, mark, outcomeNumber, 0);
        }

        public PresentedClaim(Position position, long token, @Nullable String key, int attempt, SettledMark mark) {
            this(position, token, key, attempt, mark, 0);
        }
    }

    /**
     * Records outcomes, then claims tasks. The hot path.
     *
     * @param incarnation the incarnation of the bits
     * @param highWater one above the highest offset that this owner ever named; the stored mark never falls
     */
    record SettleAndClaim(
            RequestHeader header,
            long leaseMillis,
            Incarnation incarnation,
            long highWater,
            List<Settle> settles,
            List<Claim> claims)
            implements OwnerRequest {}

    /**
     * One outcome. Refused unless the position's claim has exactly this token. The claim's deadline does not matter.
     *
     * @param mark what the store notes when this settles the position
     * @param nextToken the token under which the next parked task is claimed, if this task was the head of a blocked
     *     key. 0: that task becomes due now instead
     * @param then the claim of the next task of the same lane, which this process started when this task had ended.
     *     The claim of the key passes to it if this outcome is recorded and the key is open. Null if there is none
     */
    record Settle(
            Position position,
            long token,
            @Nullable String key,
            SettledMark mark,
            Verdict verdict,
            long nextToken,
            @Nullable Claim then) {

        public Settle(
                Position position,
                long token,
                @Nullable String key,
                SettledMark mark,
                Verdict verdict,
                long nextToken) {
            this(position, token, key, mark, verdict, nextToken, null);
        }
    }

    /** The outcome that a {@link Settle} records. */
    sealed interface Verdict {

        /**
         * The task succeeded, or ended otherwise for good, and its key goes on.
         *
         * @param record what to keep of it for people, or null. The store may leave that out, and keeps it for a time
         */
        record Success(@Nullable SuccessRecord record) implements Verdict {

            /** Returns how the task ended. It makes no difference but for what is counted and kept. */
            public TaskEnd end() {
                return record == null ? TaskEnd.SUCCEEDED : record.end();
            }
        }

        /**
         * The task is to run again after a delay. It blocks its key as the head. The envelope replaces the one that the
         * store may have.
         */
        record Retry(long delayMillis, byte[] envelope) implements Verdict {}

        /** The task is given up. Its envelope is kept among the dead. With HALT it blocks its key from now on. */
        record Dead(DeadHead deadHead, byte[] envelope) implements Verdict {}

        /**
         * The task was not started. No attempt is spent and no bit is set. In the broker's custody only the claim ends;
         * in the store's custody the task is due again now.
         */
        record Returned() implements Verdict {}
    }

    /**
     * One claim.
     *
     * @param token higher than every earlier token of this owner
     * @param key null for a task without order. A task whose key is blocked can be claimed only if it is the head
     * @param inStore whether the store has the task's envelope, because {@link ClaimDue} offered it. If the store has
     *     it not, the claim is answered with {@link StoreAnswer.ClaimResult.Done}
     * @param check if the store has this mark already, the answer is Done. {@link SettledMark#NONE} if the core knows that
     *     the position is not settled. (An outcome of a former owner sets bits of which no acquire has told.)
     */
    record Claim(Position position, long token, @Nullable String key, boolean inStore, SettledMark check) {

        public Claim(Position position, long token, @Nullable String key, boolean inStore) {
            this(position, token, key, inStore, SettledMark.NONE);
        }
    }

    /** Moves custody of tasks to the store, in order. */
    record TakeCustody(
            RequestHeader header,
            Incarnation incarnation,
            long highWater,
            int maxParkedPerKey,
            int maxParkedPerPartition,
            List<HandOver> entries)
            implements OwnerRequest {}

    /**
     * The transfer of custody of one task.
     *
     * @param mark what the store notes if the result is OK or DONE. In a message queue, if the result is DONE, the position
     *     does not await redelivery any more
     * @param envelope null only if the store has it already
     */
    record HandOver(Position position, @Nullable String key, SettledMark mark, Move move, byte @Nullable [] envelope) {}

    /** Why custody of a task moves to the store. */
    sealed interface Move {

        /** The task is not due before this time (epoch milliseconds). It enters no lane until then. */
        record Schedule(long dueAt) implements Move {}

        /**
         * The task goes to the end of its blocked key's lane. OPEN if the key is not blocked. FULL at a bound, and then
         * every later park of this key in the same request is FULL too. A task that the store holds as scheduled or in
         * retry moves to the lane.
         *
         * @param mostInTurn also FULL at so many in the partition if the head goes on soon: it is due, in a line, or runs here
         */
        record Park(int mostInTurn) implements Move {
            public Park() {
                this(Integer.MAX_VALUE);
            }
        }

        /**
         * The task runs, and its envelope is kept under its live claim, which may be any executor's. Its key becomes blocked
         * with this task as the head. DONE if the position is settled; GONE if it is neither claimed nor settled. Without an
         * envelope: the key of a task that the store holds under a claim becomes blocked; DONE if it does not.
         */
        record Adopt() implements Move {}

        /** The task joins its tenant's line ({@link ReadLines}) and heads its key. GONE if that is blocked, or it is claimed. */
        record JoinLine(int line) implements Move {}

        /** The message cannot be read, so the task is dead at once. No key is affected. */
        record Bury() implements Move {}

        /**
         * The task has been cancelled, and ends at once. No key is affected, since it is the head of none. GONE if it is
         * claimed.
         *
         * @param record what is kept of the task
         */
        record Cancel(SuccessRecord record) implements Move {}
    }

    /**
     * Takes the tasks that are due. Unkeyed tasks, heads of blocked keys and tasks of idle keys are claimed, under tokens
     * from {@code firstToken} on. Other keyed tasks are offered: they are returned and hidden for a lease, so that the
     * core claims or parks them in the order in which tasks enter their lanes. Once there are no more claims, unkeyed
     * tasks are offered, too.
     *
     * @param maxClaims the number of free slots, 0 or more
     * @param maxOffers the number of tasks that may be offered, 0 or more
     * @param maxAhead how many of them may be tasks without a key
     * @param busyKeys the keys that are not idle: the owner has something of them in memory. Null if no key counts as idle
     */
    record ClaimDue(
            RequestHeader header,
            long leaseMillis,
            int maxClaims,
            int maxOffers,
            int maxAhead,
            long firstToken,
            boolean ordered,
            @Nullable List<String> busyKeys)
            implements OwnerRequest {

        /** How long an offered task without a key is hidden: one in so many of a lease. It soon runs, or the owner is dead. */
        public static final int AHEAD_SHARE = 8;

        /** Makes a request by which only heads and unkeyed tasks are claimed, and only keyed ones are offered. */
        public ClaimDue(
                RequestHeader header,
                long leaseMillis,
                int maxClaims,
                int maxOffers,
                long firstToken,
                boolean ordered) {
            this(header, leaseMillis, maxClaims, maxOffers, 0, firstToken, ordered, null);
        }
    }

    /** Gives offers back: there is no room for more of their keys. Each is due again after its delay. */
    record DeclineOffers(RequestHeader header, List<Declined> offers) implements OwnerRequest {}

    /** An offer that is given back, of a task with this key. */
    record Declined(Position position, String key, long delayMillis) {}

    /**
     * Extends the lease of the ownership and of the given claims. Without claims this is the probe.
     *
     * @param positions the claimed positions of active runs
     * @param tokens the token of each position, at the same index
     */
    record RenewLeases(RequestHeader header, long leaseMillis, List<Position> positions, long[] tokens)
            implements OwnerRequest {}

    /**
     * Ends the claims whose lease ran out. A task that the store holds is due now. Any other counts a lapse, and its
     * key waits for its redelivery.
     *
     * @param extendMillis above 0 if this process could not hear the store, or the store was restarted: all deadlines
     *     move by this much, and no claim lapses
     */
    record ExpireLeases(RequestHeader header, int limit, long extendMillis, boolean ordered) implements OwnerRequest {}

    /**
     * Tells the store the committed offset. Chunks of settled bits wholly below it are deleted; in a message queue the
     * pages below it.
     */
    record RecordCommit(RequestHeader header, Incarnation incarnation, long committed) implements OwnerRequest {}

    /**
     * Gives up waiting for the redelivery of a position that is proven gone. Its key continues.
     *
     * @param key null: only the position's lapses and its mark as awaiting redelivery are forgotten, unless it is
     *     claimed or held
     */
    record AbandonPosition(
            RequestHeader header,
            Position position,
            @Nullable String key) implements OwnerRequest {}

    /** Gives the partition up. The lease of the ownership ends now; claims stay. */
    record Release(RequestHeader header) implements OwnerRequest {}

    /**
     * Records a former owner's outcome, by its token alone. The next task of the lane becomes due now;
     * {@code nextToken} is ignored.
     *
     * @param incarnation the incarnation of the bit. With {@link Incarnation#NO_OFFSETS} the position awaits redelivery,
     *     whatever page is named: a former owner has no channel to ack on
     */
    record SettleLate(Partition partition, Incarnation incarnation, Settle settle) implements StoreRequest {}

    /**
     * Extends the leases of a former owner's claims, by their tokens alone.
     *
     * @param positions the claimed positions of active runs
     * @param tokens the token of each position, at the same index
     */
    record KeepClaims(Partition partition, long leaseMillis, List<Position> positions, long[] tokens)
            implements StoreRequest {}

    /**
     * Asks for the positions of a message queue's partition that a redelivery may turn out to be. Needs no ownership
     * and changes nothing.
     */
    record ListKnownPositions(Partition partition) implements StoreRequest {}

    /**
     * Gives messages that were redelivered to another partition of an unordered queue back to the partition that had them. The
     * store takes custody of them there. Needs no ownership; the owner is woken. A repeated request gets the same answer.
     *
     * @param asker who asks: the same name until its process ends. A position is given up to one asker only
     * @param notBeforeMillis the time for which none of the tasks is claimed again. For messages without an id, which must
     *     be acked within this time: otherwise a message whose task kills its executors would be mistaken for a
     *     different one at each redelivery
     * @param messages if empty, the request only asks whether what was answered a horizon ago is durable
     */
    record ForwardRedeliveries(Partition partition, String asker, long notBeforeMillis, List<Redelivery> messages)
            implements StoreRequest {}

    /** @param position the position that the message had in the asked partition */
    record Redelivery(Position position, byte[] envelope) {}
}
