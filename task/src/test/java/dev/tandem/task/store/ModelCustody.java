package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.CustodyTaken;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move.Adopt;
import dev.tandem.task.store.StoreRequest.Move.Bury;
import dev.tandem.task.store.StoreRequest.Move.Cancel;
import dev.tandem.task.store.StoreRequest.Move.JoinLine;
import dev.tandem.task.store.StoreRequest.Move.Park;
import dev.tandem.task.store.StoreRequest.Move.Schedule;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Applies {@link TakeCustody}: schedules, parks, adopts, buries and cancels tasks. */
final class ModelCustody {

    private final ModelPartition partition;
    private final ModelTasks tasks;
    private final Set<Flaw> flaws;
    private final long now;

    /** Keys behind which this request can park no more. */
    private final Set<String> fullKeys = new HashSet<>();

    ModelCustody(ModelPartition partition, Set<Flaw> flaws, long now) {
        this.partition = partition;
        this.tasks = partition.tasks;
        this.flaws = flaws;
        this.now = now;
    }

    CustodyTaken apply(TakeCustody request, boolean memoryFull) {
        int count = request.entries().size();
        if (memoryFull) {
            return new CustodyTaken(Collections.nCopies(count, HandOverResult.NO_ROOM), partition.nextDueMillis(now));
        }
        boolean current = request.incarnation().is(partition.incarnation);
        if (current) {
            partition.highWater = Math.max(partition.highWater, request.highWater());
        }
        boolean ofQueue = request.incarnation() == Incarnation.NO_OFFSETS;
        List<HandOverResult> results = new ArrayList<>(count);
        for (HandOver entry : request.entries()) {
            boolean wasHeld = tasks.holds(entry.position());
            HandOverResult result = take(request, entry, current ? entry.mark() : SettledMark.NONE, ofQueue);
            if (ofQueue && result == HandOverResult.OK) {
                partition.redeliveries.settled(entry.position(), entry.mark(), wasHeld, now);
            }
            results.add(result);
        }
        return new CustodyTaken(results, partition.nextDueMillis(now));
    }

    private HandOverResult take(TakeCustody request, HandOver entry, SettledMark mark, boolean ofQueue) {
        Position position = entry.position();
        boolean parkHeld = entry.move() instanceof Park && entry.envelope() == null;
        boolean movesLane = parkHeld && tasks.isScheduledOrRetry(position);
        boolean blocksOnly = entry.move() instanceof Adopt
                && entry.envelope() == null
                && tasks.isClaimed(position)
                && tasks.holds(position);
        boolean settled = partition.settled.contains(mark) || tasks.holds(position) || tasks.isDead(position);
        if (!movesLane && !blocksOnly && (settled || ofQueue && partition.redeliveries.isAwaited(position))) {
            partition.settled.add(mark);
            if (ofQueue) {
                boolean keepAwaiting = flaws.contains(Flaw.KEEP_AWAITING);
                partition.redeliveries.redelivered(
                        position, keepAwaiting ? SettledMark.AWAITS_REDELIVERY : entry.mark(), now);
            }
            return HandOverResult.DONE;
        }
        if (entry.envelope() == null && !movesLane && !blocksOnly) {
            // The store does not have the envelope, so there is nothing to move.
            return HandOverResult.DONE;
        }
        HandOverResult result = move(request, entry, movesLane);
        if (result == HandOverResult.OK) {
            partition.settled.add(mark);
        }
        return result;
    }

    private HandOverResult move(TakeCustody request, HandOver entry, boolean movesLane) {
        if (entry.move() instanceof Park park) {
            return park(request, entry, park, movesLane);
        } else if (entry.move() instanceof Adopt) {
            return adopt(entry);
        } else if (entry.move() instanceof Schedule schedule) {
            tasks.schedule(entry.position(), partition.stored(entry.envelope()), schedule.dueAt());
        } else if (entry.move() instanceof JoinLine join) {
            return joinLine(entry, join.line());
        } else if (entry.move() instanceof Bury) {
            tasks.bury(entry.position(), partition.stored(entry.envelope()));
        } else if (entry.move() instanceof Cancel cancel) {
            return cancel(entry.position(), cancel);
        }
        return HandOverResult.OK;
    }

    private HandOverResult park(TakeCustody request, HandOver entry, Park park, boolean movesLane) {
        String key = entry.key();
        Position position = entry.position();
        if (!partition.isBlockedByAnother(key, position)) {
            return HandOverResult.OPEN;
        }
        int most = Math.min(request.maxParkedPerPartition(), goesOnSoon(key) ? park.mostInTurn() : Integer.MAX_VALUE);
        boolean room = tasks.laneSize(key) < request.maxParkedPerKey() && (movesLane || tasks.parked() < most);
        if (fullKeys.contains(key) || !room) {
            fullKeys.add(key);
            return HandOverResult.FULL;
        }
        if (movesLane) {
            tasks.park(key, position, tasks.envelope(position));
        } else if (partition.lapses(position) > 0) {
            tasks.parkInFront(key, position, partition.stored(entry.envelope()));
        } else {
            tasks.park(key, position, partition.stored(entry.envelope()));
        }
        return HandOverResult.OK;
    }

    /** Whether the key's head runs here, is due, or waits in a line. */
    private boolean goesOnSoon(String key) {
        BlockedKey entry = partition.blocked.get(key);
        if (entry.reason() != BlockReason.HEAD) {
            return false;
        }
        StoredClaim claim = tasks.claim(entry.head());
        boolean runsHere = claim != null && claim.isOf(partition.executor);
        long due = tasks.dueTime(entry.head());
        return runsHere || due >= 0 && (due <= now || due >= DueSet.FIRST_PLACE);
    }

    private HandOverResult adopt(HandOver entry) {
        StoredClaim claim = tasks.claim(entry.position());
        if (claim == null) {
            return HandOverResult.GONE;
        }
        String key = entry.key();
        if (key != null && !partition.isHead(key, entry.position()) && !hasNewerHead(key, claim)) {
            BlockReason reason = claim.isOf(partition.executor) ? BlockReason.HEAD : BlockReason.OTHER_OWNER;
            partition.block(key, reason, entry.position());
        }
        if (entry.envelope() != null) {
            tasks.adopt(entry.position(), partition.stored(entry.envelope()));
        }
        return HandOverResult.OK;
    }

    private HandOverResult joinLine(HandOver entry, int line) {
        String key = entry.key();
        if (tasks.isClaimed(entry.position()) || key != null && partition.blocked.containsKey(key)) {
            return HandOverResult.GONE;
        }
        tasks.joinLine(entry.position(), partition.stored(entry.envelope()), line);
        if (key != null) {
            partition.block(key, BlockReason.HEAD, entry.position());
        }
        return HandOverResult.OK;
    }

    private HandOverResult cancel(Position position, Cancel cancel) {
        if (tasks.isClaimed(position)) {
            return HandOverResult.GONE;
        }
        tasks.end(position, TaskEnd.CANCELLED);
        partition.attempts.remove(position);
        partition.notes.forget(position);
        partition.keep(position, cancel.record());
        return HandOverResult.OK;
    }

    /** Whether the key's head was claimed after the given claim, and still is. */
    private boolean hasNewerHead(String key, StoredClaim claim) {
        BlockedKey entry = partition.blocked.get(key);
        StoredClaim head = entry == null ? null : tasks.claim(entry.head());
        return head != null && head.token() > claim.token();
    }
}
