package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoreRequest.Verdict.Dead;
import dev.tandem.task.store.StoreRequest.Verdict.Retry;
import dev.tandem.task.store.StoreRequest.Verdict.Returned;
import dev.tandem.task.store.StoreRequest.Verdict.Success;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applies {@link SettleAndClaim}: records outcomes, and grants claims. */
final class ModelSettling {

    private final ModelPartition partition;
    private final ModelTasks tasks;
    private final Set<Flaw> flaws;
    private final long now;

    ModelSettling(ModelPartition partition, Set<Flaw> flaws, long now) {
        this.partition = partition;
        this.tasks = partition.tasks;
        this.flaws = flaws;
        this.now = now;
    }

    SettledAndClaimed apply(SettleAndClaim request) {
        if (request.incarnation().is(partition.incarnation)) {
            partition.highWater = Math.max(partition.highWater, request.highWater());
        }
        request.settles().forEach(settle -> partition.token = Math.max(partition.token, settle.nextToken()));
        request.claims().forEach(claim -> partition.token = Math.max(partition.token, claim.token()));
        partition.coveredUntil = now + request.leaseMillis();
        List<SettleResult> settles = new ArrayList<>(request.settles().size());
        for (Settle settle : request.settles()) {
            SettleResult result = settle(settle, request.incarnation(), settle.nextToken());
            if (result instanceof SettleResult.Ok && settle.then() != null) {
                relay(settle.then(), partition.executor, StoredClaim.COVERED);
            }
            settles.add(result);
        }
        partition.keepSuccesses(request.settles(), settles);
        List<ClaimResult> claims = new ArrayList<>(request.claims().size());
        for (Claim claim : request.claims()) {
            claims.add(claim(claim, request.incarnation()));
        }
        return new SettledAndClaimed(settles, claims);
    }

    // Outcomes

    /** @param nextToken for the next task of the lane, which is claimed; 0: it becomes due now */
    SettleResult settle(Settle settle, Incarnation incarnation, long nextToken) {
        Position position = settle.position();
        boolean ofQueue = incarnation == Incarnation.NO_OFFSETS;
        SettledMark mark = incarnation.is(partition.incarnation) ? settle.mark() : SettledMark.NONE;
        StoredClaim claim = tasks.claim(position);
        boolean underItsToken = claim != null && claim.token() == settle.token();
        if (!underItsToken && !(flaws.contains(Flaw.SETTLE_WITHOUT_TOKEN) && claim != null)) {
            return isRecorded(settle, mark, ofQueue) ? SettleResult.Done.INSTANCE : SettleResult.Refused.INSTANCE;
        }
        Verdict verdict = settle.verdict();
        if (verdict instanceof Returned) {
            partition.takeBack(position, settle.key(), now);
            return SettleResult.Ok.PLAIN;
        }
        partition.attempts.remove(position);
        partition.settled.add(mark);
        if (ofQueue) {
            partition.redeliveries.settled(position, settle.mark(), tasks.holds(position), now);
        }
        if (verdict instanceof Retry retry) {
            retry(settle, retry);
            return SettleResult.Ok.PLAIN;
        } else if (verdict instanceof Dead dead) {
            tasks.die(position, partition.stored(dead.envelope()));
            return afterDeath(settle, dead, nextToken);
        }
        tasks.end(position, ((Success) verdict).end());
        partition.notes.forget(position);
        return partition.isHead(settle.key(), position) ? passOn(settle.key(), nextToken) : SettleResult.Ok.PLAIN;
    }

    /** Whether an outcome without a claim under its token has been recorded before. */
    private boolean isRecorded(Settle settle, SettledMark mark, boolean ofQueue) {
        StoredEnvelope envelope = tasks.heldOrDeadEnvelope(settle.position());
        if (envelope != null) {
            return envelope.token() == settle.token();
        }
        boolean settled =
                partition.settled.contains(mark) || ofQueue && partition.redeliveries.isAwaited(settle.position());
        return settle.verdict() instanceof Success && settled && !tasks.isClaimed(settle.position());
    }

    private void retry(Settle settle, Retry retry) {
        tasks.retry(settle.position(), partition.stored(retry.envelope()), now + retry.delayMillis());
        if (settle.key() != null) {
            partition.block(settle.key(), BlockReason.HEAD, settle.position());
            if (flaws.contains(Flaw.DROP_FOLLOWERS)) {
                tasks.forgetLane(settle.key());
            }
        }
    }

    private SettleResult afterDeath(Settle settle, Dead verdict, long nextToken) {
        String key = settle.key();
        if (key == null) {
            return SettleResult.Ok.PLAIN;
        }
        boolean head = partition.isHead(key, settle.position());
        switch (verdict.deadHead()) {
            case HALT -> partition.block(key, BlockReason.HALTED, settle.position());
            case SKIP -> {
                if (head) {
                    return passOn(key, nextToken);
                }
            }
            case DRAIN -> {
                for (Position next = tasks.firstOfLane(key); next != null; next = tasks.firstOfLane(key)) {
                    tasks.die(next, tasks.envelope(next));
                }
                if (head) {
                    partition.blocked.remove(key);
                    return SettleResult.Ok.OPENED;
                }
            }
        }
        return SettleResult.Ok.PLAIN;
    }

    /** Makes the next task of a blocked key's lane its head, now that the head has ended; or opens the key. */
    SettleResult passOn(String key, long nextToken) {
        Position next = flaws.contains(Flaw.OPEN_NOT_EMPTY) ? null : tasks.firstOfLane(key);
        if (next == null) {
            partition.blocked.remove(key);
            return SettleResult.Ok.OPENED;
        }
        partition.block(key, BlockReason.HEAD, next);
        if (nextToken == 0) {
            tasks.retryHeld(next, now);
            return SettleResult.Ok.PLAIN;
        }
        partition.claim(next, nextToken, key, partition.executor, StoredClaim.COVERED);
        return new SettleResult.Next(
                next, partition.lapses(next), tasks.envelope(next).bytes());
    }

    /** Claims the task that its process has started already, unless the key is blocked or the store knows the task. */
    void relay(Claim then, @Nullable String executor, long lease) {
        Position position = then.position();
        boolean blocked = then.key() != null && partition.blocked.containsKey(then.key());
        if (!blocked && !tasks.isClaimed(position) && !tasks.holds(position) && !tasks.isDead(position)) {
            partition.claim(position, then.token(), then.key(), executor, lease);
        }
    }

    // Claims

    private ClaimResult claim(Claim claim, Incarnation incarnation) {
        Position position = claim.position();
        boolean inStore = tasks.holds(position);
        if (isSettled(claim, incarnation)
                || tasks.isClaimed(position)
                || claim.inStore() != inStore
                || !claim.inStore() && tasks.isDead(position)) {
            return ClaimResult.Done.INSTANCE;
        }
        if (partition.isBlockedByAnother(claim.key(), position) && !flaws.contains(Flaw.IGNORE_BLOCKED)) {
            return new ClaimResult.KeyBlocked(partition.blocked.get(claim.key()).head());
        }
        partition.claim(position, claim.token(), claim.key(), partition.executor, StoredClaim.COVERED);
        if (partition.isHead(claim.key(), position)) {
            partition.block(claim.key(), BlockReason.HEAD, position);
        }
        return new ClaimResult.Ok(partition.lapses(position));
    }

    private boolean isSettled(Claim claim, Incarnation incarnation) {
        if (claim.inStore()) {
            return false;
        }
        return incarnation == Incarnation.NO_OFFSETS && partition.redeliveries.isAwaited(claim.position())
                || incarnation.is(partition.incarnation) && partition.settled.contains(claim.check());
    }
}
