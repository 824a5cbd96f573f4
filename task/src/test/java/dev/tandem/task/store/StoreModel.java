package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition.ClaimResult;
import dev.tandem.task.store.ModelPartition.Held;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.AlreadyApplied;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimsKept;
import dev.tandem.task.store.StoreAnswer.CustodyTaken;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.Fenced;
import dev.tandem.task.store.StoreAnswer.Gap;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.KnownPositions;
import dev.tandem.task.store.StoreAnswer.LateSettled;
import dev.tandem.task.store.StoreAnswer.LeasesExpired;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.LiveClaim;
import dev.tandem.task.store.StoreAnswer.Ok;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveriesForwarded;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.AbandonPosition;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.ExpireLeases;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.KeepClaims;
import dev.tandem.task.store.StoreRequest.ListKnownPositions;
import dev.tandem.task.store.StoreRequest.Move.Adopt;
import dev.tandem.task.store.StoreRequest.Move.Bury;
import dev.tandem.task.store.StoreRequest.Move.Park;
import dev.tandem.task.store.StoreRequest.Move.Schedule;
import dev.tandem.task.store.StoreRequest.OwnerRequest;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.RecordCommit;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Release;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoreRequest.Verdict.Dead;
import dev.tandem.task.store.StoreRequest.Verdict.Retry;
import dev.tandem.task.store.StoreRequest.Verdict.Returned;
import dev.tandem.task.store.StoreRequest.Verdict.Success;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store protocol in plain Java, rule for rule as {@code docs/store-protocol.md} has it: deterministic, its time
 * passed in. It serves the simulation of the core, and as the reference that the scripts are compared with.
 *
 * <p>Not thread-safe.
 */
public final class StoreModel {

    /** Rules that a simulation breaks on purpose, to see that it notices. */
    public enum Flaw {
        /** A former owner's requests apply. */
        SKIP_EPOCH,
        /** A number that was applied before applies once more. */
        REUSE_NUMBER,
        /** A claim does not look at {@code blocked}. */
        IGNORE_BLOCKED,
        /** A settle does not look at the claim's token. */
        SETTLE_WITHOUT_TOKEN,
        /** A head's retry forgets the lane behind it. */
        DROP_FOLLOWERS,
        /** A key opens although others wait in its lane. */
        OPEN_NOT_EMPTY,
        /** A step back in the numbers is not noticed. */
        HIDE_GAP,
        /** What a queue owes stays owed when its message came. */
        KEEP_OWED
    }

    private final Map<Partition, ModelPartition> partitions = new LinkedHashMap<>();
    private final Set<Flaw> flaws;
    private String runId;
    private boolean full;

    public StoreModel(String runId, Flaw... flaws) {
        this.runId = runId;
        this.flaws = EnumSet.noneOf(Flaw.class);
        this.flaws.addAll(List.of(flaws));
    }

    /** All that a store knows at one moment. */
    public record Snapshot(Map<Partition, ModelPartition> partitions) {}

    public Snapshot snapshot() {
        return new Snapshot(copies(partitions));
    }

    /** Goes back to a snapshot, which may be used again. The run id stays. */
    public void restore(Snapshot snapshot) {
        partitions.clear();
        partitions.putAll(copies(snapshot.partitions));
    }

    /** As if another process had taken over its data. */
    public void restarted(String newRunId) {
        runId = newRunId;
    }

    public String runId() {
        return runId;
    }

    /** Whether its memory is full from now on. */
    public void full(boolean isFull) {
        full = isFull;
    }

    /** What is known of a partition, for reading. */
    public ModelPartition partition(Partition partition) {
        return partitions.computeIfAbsent(partition, p -> new ModelPartition(p.queue()));
    }

    public StoreAnswer apply(StoreRequest request, long now) {
        ModelPartition p = partition(request.partition());
        p.remembered.expire(now);
        if (request instanceof SettleLate late) {
            return late(p, late, now);
        } else if (request instanceof KeepClaims keep) {
            return new ClaimsKept(extend(p, keep.positions(), keep.tokens(), now + keep.leaseMillis()));
        } else if (request instanceof ListKnownPositions) {
            return recall(p, now);
        } else if (request instanceof ForwardRedeliveries redeliver) {
            return redeliver(p, redeliver, now);
        }
        OwnerRequest numbered = (OwnerRequest) request;
        StoreAnswer refusal = admit(p, numbered, now);
        if (refusal != null) {
            return refusal;
        }
        StoreAnswer answer = numbered(p, numbered, now);
        p.writers.put(numbered.header().writer(), numbered.header().number());
        return answer;
    }

    private @Nullable StoreAnswer admit(ModelPartition p, OwnerRequest request, long now) {
        RequestHeader header = request.header();
        boolean acquire = request instanceof Acquire;
        boolean ours = p.executor != null && header.epoch() == p.epoch;
        if (!acquire && !ours && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Fenced();
        }
        long stored = p.writers.getOrDefault(header.writer(), 0L);
        if (header.number() == stored && !flaws.contains(Flaw.REUSE_NUMBER)) {
            return new AlreadyApplied();
        }
        boolean next = acquire ? header.number() > stored : header.number() == stored + 1 || header.number() == stored;
        if (!next && !flaws.contains(Flaw.HIDE_GAP) && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Gap(stored);
        }
        return acquire ? refusal(p, (Acquire) request, now) : null;
    }

    private static @Nullable StoreAnswer refusal(ModelPartition p, Acquire request, long now) {
        if (p.executor == null || p.leaseDeadline <= now) {
            return null;
        }
        boolean another = !request.executor().equals(p.executor) && !p.released;
        if ((another && request.generation() == -1) || p.generation > request.generation()) {
            return new Refused(String.valueOf(p.executor), p.leaseDeadline - now);
        }
        return null;
    }

    private StoreAnswer numbered(ModelPartition p, OwnerRequest request, long now) {
        if (request instanceof SettleAndClaim step) {
            return step(p, step, now);
        } else if (request instanceof TakeCustody hand) {
            return hand(p, hand, now);
        } else if (request instanceof ClaimDue due) {
            return due(p, due, now);
        } else if (request instanceof RenewLeases renew) {
            return renew(p, renew, now);
        } else if (request instanceof ExpireLeases patrol) {
            return patrol(p, patrol, now);
        } else if (request instanceof Acquire acquire) {
            return acquire(p, acquire, now);
        } else if (request instanceof RecordCommit committed) {
            if (committed.incarnation() == StoreRequest.NO_INCARNATION) {
                p.remembered.dropPagesBelow(committed.committed());
            } else if (committed.incarnation() == p.incarnation) {
                p.storedCommit = Math.max(p.storedCommit, committed.committed());
                p.bits.clear(0, (int)
                        Math.max(0, p.storedCommit / StoreAnswer.SettledChunk.BITS * StoreAnswer.SettledChunk.BITS));
            }
        } else if (request instanceof AbandonPosition gone) {
            BlockedKey entry = gone.key() == null ? null : p.blocked.get(gone.key());
            boolean lives = p.claims.containsKey(gone.position()) || p.holds(gone.position());
            if (gone.key() == null && !lives) {
                p.attempts.remove(gone.position());
                p.remembered.forget(gone.position());
            }
            if (entry != null
                    && entry.reason() == BlockReason.REDELIVERY
                    && entry.head().equals(gone.position())) {
                goOn(p, entry.key(), 0, 0, now);
                p.attempts.remove(gone.position());
            }
        } else if (request instanceof Release) {
            p.released = true;
        }
        return new Ok(p.nextDueMillis(now));
    }

    // Acquire

    private Acquired acquire(ModelPartition p, Acquire request, long now) {
        for (PresentedClaim presented : request.presented()) {
            p.token = Math.max(p.token, presented.token());
        }
        boolean restarted = p.executor != null && !runId.equals(p.runId);
        if (restarted && request.header().epoch() != p.epoch) {
            p.quietUntil = now + request.leaseMillis();
        }
        boolean recreated = !request.sourceId().isEmpty()
                && !p.sourceId.isEmpty()
                && !request.sourceId().equals(p.sourceId);
        boolean rewound = request.committed() >= 0 && p.storedCommit >= 0 && request.committed() < p.storedCommit;
        if (recreated || rewound) {
            p.incarnation++;
            p.bits.clear();
            p.highWater = 0;
            p.storedCommit = request.committed();
        } else {
            p.storedCommit = Math.max(p.storedCommit, request.committed());
        }
        if (!request.sourceId().isEmpty()) {
            p.sourceId = request.sourceId();
        }
        long micros = now * 1_000;
        p.epoch = Math.max(p.token + 1, micros + p.lead) + (restarted ? request.leaseMillis() * 1_000 : 0);
        p.lead = p.epoch - micros;
        p.token = p.epoch;
        p.executor = request.executor();
        p.generation = request.generation();
        p.runId = runId;
        p.leaseDeadline = now + request.leaseMillis();
        p.released = false;
        // Of acquires in a row only the first follows requests that may have been applied.
        long stored = p.writers.getOrDefault(request.header().writer(), 0L);
        p.worked = stored == p.acquiredAs ? p.worked : stored;
        p.acquiredAs = request.header().number();
        long applied = p.worked;
        p.writers.clear();
        p.opened.clear();
        List<PresentedClaim> written = new ArrayList<>();
        List<PresentedClaim> inOrder = new ArrayList<>(request.presented());
        inOrder.sort(Comparator.comparingLong(PresentedClaim::token));
        Set<Long> holding = new LinkedHashSet<>();
        Set<Long> refused = new HashSet<>();
        Map<String, Long> newest = new HashMap<>();
        for (ClaimResult claim : p.claims.values()) {
            if (claim.key() != null && !claim.executor().equals(request.executor())) {
                newest.merge(claim.key(), claim.token(), Math::max);
            }
        }
        for (PresentedClaim presented : inOrder) {
            boolean ended =
                    presented.outcomeNumber() > 0 && presented.outcomeNumber() <= applied || hasEnded(p, presented);
            if (ended) {
                continue;
            } else if (refused.contains(presented.after())
                    || isOvertaken(p, presented)
                    || presented.key() != null && newest.getOrDefault(presented.key(), 0L) > presented.token()) {
                refused.add(presented.token());
                continue;
            }
            holding.add(presented.token());
            boolean known = p.claims.containsKey(presented.position()) || p.holds(presented.position());
            if (known || !holding.contains(presented.after())) {
                present(p, presented, request, now);
                written.add(presented);
            }
        }
        for (PresentedClaim presented : written) {
            if (presented.key() != null && p.blocked.containsKey(presented.key())) {
                p.block(presented.key(), BlockReason.HEAD, presented.position());
            }
        }
        takeBackTheRest(p, request, written, now);
        List<OtherClaim> otherClaims = new ArrayList<>();
        for (ClaimResult claim : p.claims.values()) {
            if (!claim.executor().equals(request.executor())) {
                otherClaims.add(new OtherClaim(
                        claim.position(),
                        claim.token(),
                        claim.key(),
                        p.holds(claim.position()),
                        claim.deadline() - now));
            }
        }
        otherClaims.sort(Comparator.comparingLong(OtherClaim::token).reversed());
        for (OtherClaim claim : otherClaims) {
            if (claim.key() != null && !p.blocked.containsKey(claim.key())) {
                p.block(claim.key(), BlockReason.OTHER_OWNER, claim.position());
            }
        }
        return new Acquired(
                p.epoch,
                runId,
                p.incarnation,
                p.highWater,
                p.storedCommit,
                otherClaims,
                p.chunks(),
                List.copyOf(p.blocked.values()),
                p.nextDueMillis(now),
                p.nextLapseMillis(now),
                Math.max(0, p.quietUntil - now),
                List.copyOf(holding),
                p.history());
    }

    private static boolean hasEnded(ModelPartition p, PresentedClaim presented) {
        Position position = presented.position();
        boolean settled = p.bit(presented.bit()) || p.dead.containsKey(position) || p.remembered.isOwed(position);
        return settled && !p.holds(position) && !p.claims.containsKey(position);
    }

    private static boolean isOvertaken(ModelPartition p, PresentedClaim presented) {
        ClaimResult claim = p.claims.get(presented.position());
        Held inStore = p.tasks.get(presented.position());
        return inStore != null && inStore.token() >= presented.token()
                || claim != null && claim.token() > presented.token();
    }

    private static void present(ModelPartition p, PresentedClaim presented, Acquire request, long now) {
        Position position = presented.position();
        p.claim(position, presented.token(), presented.key(), request.executor(), now + request.leaseMillis());
        p.scheduled.remove(position);
        p.retry.remove(position);
        p.takeOutOfLane(presented.key(), position);
    }

    /**
     * Claims of this executor that it does not know: their answer was missed, they never started. And claims of others
     * that ended, for their key was claimed again since; the store forgot that.
     */
    private static void takeBackTheRest(ModelPartition p, Acquire request, List<PresentedClaim> written, long now) {
        Map<String, Long> latest = new HashMap<>();
        Set<Position> standing = new HashSet<>();
        for (PresentedClaim presented : written) {
            standing.add(presented.position());
            if (presented.key() != null) {
                latest.merge(presented.key(), presented.token(), Math::max);
            }
        }
        for (ClaimResult claim : List.copyOf(p.claims.values())) {
            boolean ours = claim.executor().equals(request.executor());
            boolean ended = claim.key() != null && latest.getOrDefault(claim.key(), 0L) > claim.token();
            if (!standing.contains(claim.position()) && (ours || ended)) {
                p.claims.remove(claim.position());
                returned(p, claim.position(), claim.key(), now);
            }
        }
    }

    // Step

    private SettledAndClaimed step(ModelPartition p, SettleAndClaim step, long now) {
        if (step.incarnation() == p.incarnation) {
            p.highWater = Math.max(p.highWater, step.highWater());
        }
        step.settles().forEach(settle -> p.token = Math.max(p.token, settle.nextToken()));
        step.claims().forEach(claim -> p.token = Math.max(p.token, claim.token()));
        List<SettleResult> settles = new ArrayList<>(step.settles().size());
        boolean queue = step.incarnation() == StoreRequest.NO_INCARNATION;
        long deadline = now + step.leaseMillis();
        for (Settle settle : step.settles()) {
            SettleResult settled = settle(p, settle, step.incarnation(), settle.nextToken(), step.leaseMillis(), now);
            if (settled instanceof SettleResult.Ok && settle.then() != null) {
                relay(p, settle.then(), p.executor, deadline);
            }
            settles.add(settled);
        }
        List<StoreAnswer.ClaimResult> claims = new ArrayList<>(step.claims().size());
        for (Claim claim : step.claims()) {
            boolean awaitingRedelivery = queue && !claim.inStore() && p.remembered.isOwed(claim.position());
            boolean settled = step.incarnation() == p.incarnation && !claim.inStore() && p.bit(claim.bit());
            claims.add(
                    awaitingRedelivery || settled ? StoreAnswer.ClaimResult.Done.INSTANCE : claim(p, claim, deadline));
        }
        return new SettledAndClaimed(settles, claims);
    }

    private SettleResult settle(
            ModelPartition p, Settle settle, long incarnation, long nextToken, long leaseMillis, long now) {
        Position position = settle.position();
        long bit = incarnation == p.incarnation ? settle.bit() : -1;
        ClaimResult claim = p.claims.get(position);
        boolean ours = claim != null && claim.token() == settle.token();
        if (!ours && !(flaws.contains(Flaw.SETTLE_WITHOUT_TOKEN) && claim != null)) {
            return visible(p, settle, bit, claim, incarnation == StoreRequest.NO_INCARNATION)
                    ? SettleResult.Done.INSTANCE
                    : SettleResult.Refused.INSTANCE;
        }
        p.claims.remove(position);
        String key = settle.key();
        Verdict verdict = settle.verdict();
        if (verdict instanceof Returned) {
            returned(p, position, key, now);
            return SettleResult.Ok.PLAIN;
        }
        p.attempts.remove(position);
        p.setBit(bit);
        if (incarnation == StoreRequest.NO_INCARNATION) {
            p.remembered.settled(position, settle.bit(), p.holds(position), now);
        }
        if (verdict instanceof Retry retry) {
            p.tasks.put(position, Held.of(p.queue, retry.envelope()));
            p.retry.put(position, now + retry.delayMillis());
            if (key != null) {
                p.block(key, BlockReason.HEAD, position);
                if (flaws.contains(Flaw.DROP_FOLLOWERS)) {
                    for (Position lost = p.pop(key); lost != null; lost = p.pop(key)) {
                        p.tasks.remove(lost);
                    }
                }
            }
            return SettleResult.Ok.PLAIN;
        }
        p.tasks.remove(position);
        if (verdict instanceof Dead dead) {
            return dead(p, position, key, dead, nextToken, leaseMillis, now);
        }
        p.succeeded++;
        return p.blockedBy(key, position) ? goOn(p, key, nextToken, leaseMillis, now) : SettleResult.Ok.PLAIN;
    }

    private static boolean visible(
            ModelPartition p, Settle settle, long bit, @Nullable ClaimResult claim, boolean queue) {
        Held inStore = p.tasks.getOrDefault(settle.position(), p.dead.get(settle.position()));
        if (inStore != null && inStore.token() == settle.token()) {
            return true;
        }
        boolean settled = p.bit(bit) || queue && p.remembered.isOwed(settle.position());
        return settle.verdict() instanceof Success && settled && inStore == null && claim == null;
    }

    private SettleResult dead(
            ModelPartition p,
            Position position,
            @Nullable String key,
            Dead verdict,
            long nextToken,
            long leaseMillis,
            long now) {
        p.dead.put(position, Held.of(p.queue, verdict.envelope()));
        if (key == null) {
            return SettleResult.Ok.PLAIN;
        }
        boolean head = p.blockedBy(key, position);
        switch (verdict.deadHead()) {
            case HALT -> p.block(key, BlockReason.HALTED, position);
            case SKIP -> {
                if (head) {
                    return goOn(p, key, nextToken, leaseMillis, now);
                }
            }
            case DRAIN -> {
                for (Position next = p.pop(key); next != null; next = p.pop(key)) {
                    Held inStore = p.tasks.remove(next);
                    if (inStore != null) {
                        p.dead.put(next, inStore);
                    }
                }
                if (head) {
                    p.blocked.remove(key);
                    return SettleResult.Ok.OPENED;
                }
            }
        }
        return SettleResult.Ok.PLAIN;
    }

    /** The head of a blocked key has ended: the next one in its lane becomes the head, or the key opens. */
    private SettleResult goOn(ModelPartition p, String key, long nextToken, long leaseMillis, long now) {
        if (flaws.contains(Flaw.OPEN_NOT_EMPTY)) {
            p.blocked.remove(key);
            return SettleResult.Ok.OPENED;
        }
        Position next = p.pop(key);
        while (next != null && !p.holds(next)) {
            next = p.pop(key);
        }
        if (next == null) {
            p.blocked.remove(key);
            return SettleResult.Ok.OPENED;
        }
        p.block(key, BlockReason.HEAD, next);
        if (nextToken > 0) {
            p.claim(next, nextToken, key, p.executor, now + leaseMillis);
            return new SettleResult.Next(next, p.lapses(next), p.tasks.get(next).envelope());
        }
        p.retry.put(next, now);
        return SettleResult.Ok.PLAIN;
    }

    /** A claim that never became a run has gone. */
    private static void returned(ModelPartition p, Position position, @Nullable String key, long now) {
        if (p.holds(position)) {
            p.retry.put(position, now);
        } else if (p.blockedBy(key, position)) {
            p.block(key, BlockReason.REDELIVERY, position);
        }
    }

    /** The key's claim passes on to its next task, which runs already; unless the key is blocked or somebody has it. */
    private static void relay(ModelPartition p, Claim then, @Nullable String executor, long deadline) {
        Position position = then.position();
        boolean blocked = then.key() != null && p.blocked.containsKey(then.key());
        if (!blocked && !p.claims.containsKey(position) && !p.holds(position) && !p.dead.containsKey(position)) {
            p.claim(position, then.token(), then.key(), executor, deadline);
        }
    }

    private StoreAnswer.ClaimResult claim(ModelPartition p, Claim claim, long deadline) {
        Position position = claim.position();
        boolean inStore = p.holds(position);
        if (p.claims.containsKey(position)
                || claim.inStore() != inStore
                || !claim.inStore() && p.dead.containsKey(position)) {
            return StoreAnswer.ClaimResult.Done.INSTANCE;
        }
        if (p.blockedByAnother(claim.key(), position) && !flaws.contains(Flaw.IGNORE_BLOCKED)) {
            return new StoreAnswer.ClaimResult.KeyBlocked(
                    p.blocked.get(claim.key()).head());
        }
        p.scheduled.remove(position);
        p.retry.remove(position);
        p.claim(position, claim.token(), claim.key(), p.executor, deadline);
        if (p.blockedBy(claim.key(), position)) {
            p.block(claim.key(), BlockReason.HEAD, position);
        }
        return new StoreAnswer.ClaimResult.Ok(p.lapses(position));
    }

    // Hand

    private CustodyTaken hand(ModelPartition p, TakeCustody hand, long now) {
        if (full) {
            return new CustodyTaken(
                    Collections.nCopies(hand.entries().size(), HandOverResult.NO_ROOM), p.nextDueMillis(now));
        }
        boolean current = hand.incarnation() == p.incarnation;
        if (current) {
            p.highWater = Math.max(p.highWater, hand.highWater());
        }
        Set<String> full = new HashSet<>();
        List<HandOverResult> codes = new ArrayList<>(hand.entries().size());
        for (HandOver entry : hand.entries()) {
            boolean wasHeld = p.holds(entry.position());
            HandOverResult code = hand(p, hand, entry, current ? entry.bit() : -1, full, now);
            if (hand.incarnation() == StoreRequest.NO_INCARNATION && code == HandOverResult.OK) {
                p.remembered.settled(entry.position(), entry.bit(), wasHeld, now);
            }
            codes.add(code);
        }
        return new CustodyTaken(codes, p.nextDueMillis(now));
    }

    private HandOverResult hand(
            ModelPartition p, TakeCustody hand, HandOver entry, long bit, Set<String> full, long now) {
        Position position = entry.position();
        boolean moves = entry.move() instanceof Park
                && entry.envelope() == null
                && (p.scheduled.has(position) || p.retry.has(position));
        boolean queue = hand.incarnation() == StoreRequest.NO_INCARNATION;
        boolean settled = p.bit(bit) || p.holds(position) || p.dead.containsKey(position);
        if (!moves && (settled || queue && p.remembered.isOwed(position))) {
            p.setBit(bit);
            if (queue) {
                boolean stays = flaws.contains(Flaw.KEEP_OWED);
                p.remembered.cameAgain(position, stays ? StoreRequest.AWAITS_REDELIVERY : entry.bit(), now);
            }
            return HandOverResult.DONE;
        }
        if (!moves && entry.move() instanceof Park && entry.envelope() == null) {
            // Nothing to park: it is not here.
            return HandOverResult.DONE;
        }
        if (entry.move() instanceof Park) {
            HandOverResult code = park(p, hand, entry, moves, full);
            if (code == HandOverResult.OK) {
                p.setBit(bit);
            }
            return code;
        }
        if (entry.move() instanceof Adopt) {
            ClaimResult claim = p.claims.get(position);
            if (claim == null) {
                return HandOverResult.GONE;
            }
            if (entry.key() != null && !p.blockedBy(entry.key(), position) && !p.overtaken(entry.key(), claim)) {
                p.block(
                        entry.key(),
                        claim.executor().equals(p.executor) ? BlockReason.HEAD : BlockReason.OTHER_OWNER,
                        position);
            }
        }
        Held inStore = Held.of(p.queue, entry.envelope());
        if (entry.move() instanceof Bury) {
            p.dead.put(position, inStore);
        } else {
            p.tasks.put(position, inStore);
        }
        if (entry.move() instanceof Schedule schedule) {
            p.scheduled.put(position, schedule.dueAt());
        }
        p.setBit(bit);
        return HandOverResult.OK;
    }

    private HandOverResult park(ModelPartition p, TakeCustody hand, HandOver entry, boolean moves, Set<String> full) {
        String key = entry.key();
        Position position = entry.position();
        if (!p.blockedByAnother(key, position)) {
            return HandOverResult.OPEN;
        }
        boolean room = p.laneSize(key) < hand.maxParkedPerKey() && (moves || p.parked() < hand.maxParkedPerPartition());
        if (full.contains(key) || !room) {
            full.add(key);
            return HandOverResult.FULL;
        }
        if (moves) {
            p.scheduled.remove(position);
            p.retry.remove(position);
        } else {
            p.tasks.put(position, Held.of(p.queue, entry.envelope()));
        }
        if (!moves && p.lapses(position) > 0) {
            p.toLaneFront(key, position);
        } else {
            p.toLane(key, position);
        }
        return HandOverResult.OK;
    }

    // Due

    private DueTasks due(ModelPartition p, ClaimDue due, long now) {
        List<ModelPartition.ClaimDue> fallen = new ArrayList<>(p.retry.upTo(now));
        fallen.addAll(p.scheduled.upTo(now));
        // A stable sort: of the same time, retries come first.
        fallen.sort(Comparator.comparingLong(ModelPartition.ClaimDue::at));
        List<DueTask> claimed = new ArrayList<>();
        List<DueTask> offered = new ArrayList<>();
        boolean more = false;
        for (ModelPartition.ClaimDue at : fallen) {
            Position position = at.position();
            Held inStore = p.tasks.get(position);
            ModelPartition.DueSet set = p.retry.has(position) ? p.retry : p.scheduled;
            if (inStore == null) {
                set.remove(position);
                continue;
            }
            String key = due.ordered() ? inStore.key() : null;
            if (key == null || p.blockedBy(key, position)) {
                if (claimed.size() == due.maxClaims()) {
                    more = true;
                    continue;
                }
                long token = due.firstToken() + claimed.size();
                set.remove(position);
                p.claim(position, token, key, p.executor, now + due.leaseMillis());
                if (key != null) {
                    p.block(key, BlockReason.HEAD, position);
                }
                claimed.add(new DueTask(position, token, p.lapses(position), inStore.envelope()));
            } else if (offered.size() == due.maxOffers()) {
                more = true;
            } else {
                set.put(position, now + due.leaseMillis());
                offered.add(new DueTask(position, 0, p.lapses(position), inStore.envelope()));
            }
        }
        return new DueTasks(claimed, offered, more ? 0 : p.nextDueMillis(now), more);
    }

    // Renew, patrol, late

    private LeasesRenewed renew(ModelPartition p, RenewLeases renew, long now) {
        p.leaseDeadline = now + renew.leaseMillis();
        List<Position> lost = extend(p, renew.positions(), renew.tokens(), p.leaseDeadline);
        List<String> opened = List.copyOf(p.opened);
        p.opened.clear();
        return new LeasesRenewed(runId, lost, opened, p.nextDueMillis(now), p.nextLapseMillis(now), true);
    }

    /** @return the positions that are not under that token any more */
    private static List<Position> extend(ModelPartition p, List<Position> positions, long[] tokens, long deadline) {
        List<Position> lost = new ArrayList<>();
        for (int i = 0; i < tokens.length; i++) {
            Position position = positions.get(i);
            ClaimResult claim = p.claims.get(position);
            if (claim != null && claim.token() == tokens[i]) {
                p.claims.put(position, claim.until(deadline));
            } else {
                lost.add(position);
            }
        }
        return lost;
    }

    private static LeasesExpired patrol(ModelPartition p, ExpireLeases patrol, long now) {
        if (patrol.extendMillis() > 0) {
            p.leaseDeadline += p.leaseDeadline > 0 ? patrol.extendMillis() : 0;
            p.claims.replaceAll((position, claim) -> claim.until(claim.deadline() + patrol.extendMillis()));
            return new LeasesExpired(0, List.of(), p.nextDueMillis(now), p.nextLapseMillis(now));
        }
        List<ClaimResult> lapsed = new ArrayList<>();
        if (now >= p.quietUntil) {
            for (ClaimResult claim : p.claims.values()) {
                if (claim.deadline() <= now) {
                    lapsed.add(claim);
                }
            }
        }
        lapsed.sort(Comparator.comparingLong(ClaimResult::deadline)
                .thenComparing(claim -> claim.position().text()));
        List<BlockedKey> waiting = new ArrayList<>();
        List<ClaimResult> overtaken = new ArrayList<>();
        int returned = 0;
        for (ClaimResult claim : lapsed.subList(0, Math.min(patrol.limit(), lapsed.size()))) {
            Position position = claim.position();
            String key = patrol.ordered() ? claim.key() : null;
            p.claims.remove(position);
            p.attempts.merge(position, 1, Integer::sum);
            returned++;
            if (p.blockedByAnother(key, position)) {
                if (p.holds(position)) {
                    overtaken.add(claim);
                }
            } else if (p.holds(position)) {
                p.retry.put(position, now);
                if (key != null) {
                    p.block(key, BlockReason.HEAD, position);
                }
            } else if (key != null) {
                p.block(key, BlockReason.REDELIVERY, position);
                waiting.add(p.blocked.get(key));
            }
        }
        // They had begun before anything that waits in the lane.
        overtaken.sort(Comparator.comparingLong(ClaimResult::token).reversed());
        overtaken.forEach(claim -> p.toLaneFront(claim.key(), claim.position()));
        return new LeasesExpired(returned, waiting, p.nextDueMillis(now), p.nextLapseMillis(now));
    }

    private LateSettled late(ModelPartition p, SettleLate late, long now) {
        Settle settle = late.settle();
        ClaimResult claim = p.claims.get(settle.position());
        boolean head = p.blockedBy(settle.key(), settle.position());
        boolean relays = settle.then() != null && claim != null && claim.token() == settle.token();
        if (relays
                && late.incarnation() == StoreRequest.NO_INCARNATION
                && !claim.executor().equals(p.executor)) {
            return new LateSettled(false);
        }
        if (relays && head && settle.verdict() instanceof Success && takeNext(p, settle.then())) {
            Position next = settle.then().position();
            p.block(settle.key(), BlockReason.OTHER_OWNER, next);
            if (!p.claims.containsKey(next)) {
                p.claim(next, settle.then().token(), settle.key(), claim.executor(), claim.deadline());
            }
        }
        SettleResult settled = settle(
                p,
                late.incarnation() == StoreRequest.NO_INCARNATION ? awaitingRedelivery(settle) : settle,
                late.incarnation(),
                0,
                0,
                now);
        if (settled instanceof SettleResult.Refused) {
            return new LateSettled(false);
        }
        if (relays && !head && settled instanceof SettleResult.Ok) {
            relay(p, settle.then(), claim.executor(), claim.deadline());
        }
        boolean wentOn = settle.verdict() instanceof Returned || !p.blockedBy(settle.key(), settle.position());
        if (head && wentOn && settled instanceof SettleResult.Ok) {
            p.opened.add(settle.key());
        }
        return new LateSettled(true);
    }

    private static Settle awaitingRedelivery(Settle settle) {
        return new Settle(
                settle.position(),
                settle.token(),
                settle.key(),
                StoreRequest.AWAITS_REDELIVERY,
                settle.verdict(),
                settle.nextToken(),
                settle.then());
    }

    // Queues: what a redelivery could be, in another partition

    private KnownPositions recall(ModelPartition p, long now) {
        List<LiveClaim> live = new ArrayList<>();
        for (ClaimResult claim : p.claims.values()) {
            if (!p.holds(claim.position())) {
                boolean former = !claim.executor().equals(p.executor);
                live.add(new LiveClaim(claim.position(), former, claim.deadline() - now));
            }
        }
        live.sort(Comparator.comparing(each -> each.position().text()));
        boolean complete = p.executor == null || runId.equals(p.runId) && now >= p.quietUntil;
        return new KnownPositions(runId, complete, live, p.history());
    }

    private RedeliveriesForwarded redeliver(ModelPartition p, ForwardRedeliveries redeliver, long now) {
        if (full) {
            return new RedeliveriesForwarded(
                    runId, Collections.nCopies(redeliver.messages().size(), HandOverResult.NO_ROOM), true);
        }
        List<HandOverResult> codes = new ArrayList<>();
        for (Redelivery message : redeliver.messages()) {
            codes.add(redeliver(p, message, redeliver.by(), now + redeliver.afterMillis(), now));
        }
        return new RedeliveriesForwarded(runId, codes, true);
    }

    private HandOverResult redeliver(ModelPartition p, Redelivery message, String by, long after, long now) {
        Position position = message.position();
        HandOverResult before = p.remembered.givenUp(position, by);
        if (before != null) {
            return before;
        }
        if (p.remembered.isOwed(position)) {
            boolean stays = flaws.contains(Flaw.KEEP_OWED);
            return stays ? HandOverResult.DONE : p.remembered.giveUp(position, by, HandOverResult.DONE, now);
        }
        ClaimResult claim = p.claims.get(position);
        if (p.holds(position) || claim == null && !p.attempts.containsKey(position)) {
            return HandOverResult.GONE;
        }
        p.tasks.put(position, Held.of(p.queue, message.envelope()));
        if (claim == null) {
            p.retry.put(position, after);
        } else if (claim.deadline() < after) {
            p.claims.put(position, claim.until(after));
        }
        return p.remembered.giveUp(position, by, HandOverResult.OK, now);
    }

    /** Takes a former owner's next task out of the lane, or of where it waits to be due. */
    private static boolean takeNext(ModelPartition p, Claim then) {
        Position next = then.position();
        ClaimResult standing = p.claims.get(next);
        if (standing != null) {
            return standing.token() == then.token();
        } else if (p.dead.containsKey(next)) {
            return false;
        } else if (!p.holds(next) || p.scheduled.remove(next) || p.retry.remove(next)) {
            return true;
        }
        return p.takeOutOfLane(then.key(), next);
    }

    private static Map<Partition, ModelPartition> copies(Map<Partition, ModelPartition> states) {
        Map<Partition, ModelPartition> copies = new LinkedHashMap<>();
        states.forEach((partition, state) -> copies.put(partition, state.copy()));
        return copies;
    }
}
