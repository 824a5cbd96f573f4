package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.PartitionState.Claimed;
import dev.tandem.task.store.PartitionState.Held;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.Applied;
import dev.tandem.task.store.StoreAnswer.Blocked;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.Fenced;
import dev.tandem.task.store.StoreAnswer.Foreign;
import dev.tandem.task.store.StoreAnswer.Gap;
import dev.tandem.task.store.StoreAnswer.HandCode;
import dev.tandem.task.store.StoreAnswer.Handed;
import dev.tandem.task.store.StoreAnswer.Kept;
import dev.tandem.task.store.StoreAnswer.LateSettled;
import dev.tandem.task.store.StoreAnswer.Live;
import dev.tandem.task.store.StoreAnswer.Ok;
import dev.tandem.task.store.StoreAnswer.Patrolled;
import dev.tandem.task.store.StoreAnswer.Recalled;
import dev.tandem.task.store.StoreAnswer.Redelivered;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreAnswer.Renewed;
import dev.tandem.task.store.StoreAnswer.Settled;
import dev.tandem.task.store.StoreAnswer.Stepped;
import dev.tandem.task.store.StoreAnswer.Why;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Committed;
import dev.tandem.task.store.StoreRequest.Due;
import dev.tandem.task.store.StoreRequest.Entry;
import dev.tandem.task.store.StoreRequest.Gone;
import dev.tandem.task.store.StoreRequest.Hand;
import dev.tandem.task.store.StoreRequest.Keep;
import dev.tandem.task.store.StoreRequest.Late;
import dev.tandem.task.store.StoreRequest.Move.Adopt;
import dev.tandem.task.store.StoreRequest.Move.Bury;
import dev.tandem.task.store.StoreRequest.Move.Park;
import dev.tandem.task.store.StoreRequest.Move.Schedule;
import dev.tandem.task.store.StoreRequest.Numbered;
import dev.tandem.task.store.StoreRequest.Patrol;
import dev.tandem.task.store.StoreRequest.Presented;
import dev.tandem.task.store.StoreRequest.Recall;
import dev.tandem.task.store.StoreRequest.Redeliver;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Release;
import dev.tandem.task.store.StoreRequest.Renew;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Step;
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

    private final Map<Partition, PartitionState> partitions = new LinkedHashMap<>();
    private final Set<Flaw> flaws;
    private String runId;
    private boolean full;

    public StoreModel(String runId, Flaw... flaws) {
        this.runId = runId;
        this.flaws = EnumSet.noneOf(Flaw.class);
        this.flaws.addAll(List.of(flaws));
    }

    /** All that a store knows at one moment. */
    public record Snapshot(Map<Partition, PartitionState> partitions) {}

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
    public PartitionState partition(Partition partition) {
        return partitions.computeIfAbsent(partition, p -> new PartitionState(p.queue()));
    }

    public StoreAnswer apply(StoreRequest request, long now) {
        PartitionState p = partition(request.partition());
        p.remembered.expire(now);
        if (request instanceof Late late) {
            return late(p, late, now);
        } else if (request instanceof Keep keep) {
            return new Kept(extend(p, keep.positions(), keep.tokens(), now + keep.leaseMillis()));
        } else if (request instanceof Recall) {
            return recall(p, now);
        } else if (request instanceof Redeliver redeliver) {
            return redeliver(p, redeliver, now);
        }
        Numbered numbered = (Numbered) request;
        StoreAnswer refusal = admit(p, numbered, now);
        if (refusal != null) {
            return refusal;
        }
        StoreAnswer answer = numbered(p, numbered, now);
        p.writers.put(numbered.line().writer(), numbered.line().number());
        return answer;
    }

    private @Nullable StoreAnswer admit(PartitionState p, Numbered request, long now) {
        Line line = request.line();
        boolean acquire = request instanceof Acquire;
        boolean ours = p.executor != null && line.epoch() == p.epoch;
        if (!acquire && !ours && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Fenced();
        }
        long stored = p.writers.getOrDefault(line.writer(), 0L);
        if (line.number() == stored && !flaws.contains(Flaw.REUSE_NUMBER)) {
            return new Applied();
        }
        boolean next = acquire ? line.number() > stored : line.number() == stored + 1 || line.number() == stored;
        if (!next && !flaws.contains(Flaw.HIDE_GAP) && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Gap(stored);
        }
        return acquire ? refusal(p, (Acquire) request, now) : null;
    }

    private static @Nullable StoreAnswer refusal(PartitionState p, Acquire request, long now) {
        if (p.executor == null || p.leaseDeadline <= now) {
            return null;
        }
        boolean another = !request.executor().equals(p.executor) && !p.released;
        if ((another && request.generation() == -1) || p.generation > request.generation()) {
            return new Refused(String.valueOf(p.executor), p.leaseDeadline - now);
        }
        return null;
    }

    private StoreAnswer numbered(PartitionState p, Numbered request, long now) {
        if (request instanceof Step step) {
            return step(p, step, now);
        } else if (request instanceof Hand hand) {
            return hand(p, hand, now);
        } else if (request instanceof Due due) {
            return due(p, due, now);
        } else if (request instanceof Renew renew) {
            return renew(p, renew, now);
        } else if (request instanceof Patrol patrol) {
            return patrol(p, patrol, now);
        } else if (request instanceof Acquire acquire) {
            return acquire(p, acquire, now);
        } else if (request instanceof Committed committed) {
            if (committed.incarnation() == StoreRequest.QUEUE) {
                p.remembered.dropPagesBelow(committed.committed());
            } else if (committed.incarnation() == p.incarnation) {
                p.mirror = Math.max(p.mirror, committed.committed());
                p.bits.clear(0, (int) Math.max(0, p.mirror / StoreAnswer.Chunk.BITS * StoreAnswer.Chunk.BITS));
            }
        } else if (request instanceof Gone gone) {
            Blocked entry = gone.key() == null ? null : p.blocked.get(gone.key());
            boolean lives = p.claims.containsKey(gone.position()) || p.holds(gone.position());
            if (gone.key() == null && !lives) {
                p.attempts.remove(gone.position());
                p.remembered.forget(gone.position());
            }
            if (entry != null && entry.why() == Why.REDELIVERY && entry.head().equals(gone.position())) {
                goOn(p, entry.key(), 0, 0, now);
                p.attempts.remove(gone.position());
            }
        } else if (request instanceof Release) {
            p.released = true;
        }
        return new Ok(p.nextDueMillis(now));
    }

    // Acquire

    private Acquired acquire(PartitionState p, Acquire request, long now) {
        for (Presented presented : request.presented()) {
            p.token = Math.max(p.token, presented.token());
        }
        boolean restarted = p.executor != null && !runId.equals(p.runId);
        if (restarted && request.line().epoch() != p.epoch) {
            p.quietUntil = now + request.leaseMillis();
        }
        boolean recreated = !request.sourceId().isEmpty()
                && !p.sourceId.isEmpty()
                && !request.sourceId().equals(p.sourceId);
        boolean rewound = request.committed() >= 0 && p.mirror >= 0 && request.committed() < p.mirror;
        if (recreated || rewound) {
            p.incarnation++;
            p.bits.clear();
            p.highWater = 0;
            p.mirror = request.committed();
        } else {
            p.mirror = Math.max(p.mirror, request.committed());
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
        long stored = p.writers.getOrDefault(request.line().writer(), 0L);
        p.worked = stored == p.acquiredAs ? p.worked : stored;
        p.acquiredAs = request.line().number();
        long applied = p.worked;
        p.writers.clear();
        p.opened.clear();
        List<Presented> written = new ArrayList<>();
        List<Presented> inOrder = new ArrayList<>(request.presented());
        inOrder.sort(Comparator.comparingLong(Presented::token));
        Set<Long> holding = new LinkedHashSet<>();
        Set<Long> refused = new HashSet<>();
        Map<String, Long> newest = new HashMap<>();
        for (Claimed claim : p.claims.values()) {
            if (claim.key() != null && !claim.executor().equals(request.executor())) {
                newest.merge(claim.key(), claim.token(), Math::max);
            }
        }
        for (Presented presented : inOrder) {
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
        for (Presented presented : written) {
            if (presented.key() != null && p.blocked.containsKey(presented.key())) {
                p.block(presented.key(), Why.HEAD, presented.position());
            }
        }
        takeBackTheRest(p, request, written, now);
        List<Foreign> foreign = new ArrayList<>();
        for (Claimed claim : p.claims.values()) {
            if (!claim.executor().equals(request.executor())) {
                foreign.add(new Foreign(
                        claim.position(),
                        claim.token(),
                        claim.key(),
                        p.holds(claim.position()),
                        claim.deadline() - now));
            }
        }
        foreign.sort(Comparator.comparingLong(Foreign::token).reversed());
        for (Foreign claim : foreign) {
            if (claim.key() != null && !p.blocked.containsKey(claim.key())) {
                p.block(claim.key(), Why.FOREIGN, claim.position());
            }
        }
        return new Acquired(
                p.epoch,
                runId,
                p.incarnation,
                p.highWater,
                p.mirror,
                foreign,
                p.chunks(),
                List.copyOf(p.blocked.values()),
                p.nextDueMillis(now),
                p.nextLapseMillis(now),
                Math.max(0, p.quietUntil - now),
                List.copyOf(holding),
                p.past());
    }

    private static boolean hasEnded(PartitionState p, Presented presented) {
        Position position = presented.position();
        boolean settled = p.bit(presented.bit()) || p.dead.containsKey(position) || p.remembered.isOwed(position);
        return settled && !p.holds(position) && !p.claims.containsKey(position);
    }

    private static boolean isOvertaken(PartitionState p, Presented presented) {
        Claimed claim = p.claims.get(presented.position());
        Held held = p.tasks.get(presented.position());
        return held != null && held.token() >= presented.token() || claim != null && claim.token() > presented.token();
    }

    private static void present(PartitionState p, Presented presented, Acquire request, long now) {
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
    private static void takeBackTheRest(PartitionState p, Acquire request, List<Presented> written, long now) {
        Map<String, Long> latest = new HashMap<>();
        Set<Position> standing = new HashSet<>();
        for (Presented presented : written) {
            standing.add(presented.position());
            if (presented.key() != null) {
                latest.merge(presented.key(), presented.token(), Math::max);
            }
        }
        for (Claimed claim : List.copyOf(p.claims.values())) {
            boolean ours = claim.executor().equals(request.executor());
            boolean ended = claim.key() != null && latest.getOrDefault(claim.key(), 0L) > claim.token();
            if (!standing.contains(claim.position()) && (ours || ended)) {
                p.claims.remove(claim.position());
                returned(p, claim.position(), claim.key(), now);
            }
        }
    }

    // Step

    private Stepped step(PartitionState p, Step step, long now) {
        if (step.incarnation() == p.incarnation) {
            p.highWater = Math.max(p.highWater, step.highWater());
        }
        step.settles().forEach(settle -> p.token = Math.max(p.token, settle.nextToken()));
        step.claims().forEach(claim -> p.token = Math.max(p.token, claim.token()));
        List<Settled> settles = new ArrayList<>(step.settles().size());
        boolean queue = step.incarnation() == StoreRequest.QUEUE;
        long deadline = now + step.leaseMillis();
        for (Settle settle : step.settles()) {
            Settled settled = settle(p, settle, step.incarnation(), settle.nextToken(), step.leaseMillis(), now);
            if (settled instanceof Settled.Ok && settle.then() != null) {
                relay(p, settle.then(), p.executor, deadline);
            }
            settles.add(settled);
        }
        List<StoreAnswer.Claimed> claims = new ArrayList<>(step.claims().size());
        for (Claim claim : step.claims()) {
            boolean owed = queue && !claim.held() && p.remembered.isOwed(claim.position());
            boolean settled = step.incarnation() == p.incarnation && !claim.held() && p.bit(claim.bit());
            claims.add(owed || settled ? StoreAnswer.Claimed.Done.INSTANCE : claim(p, claim, deadline));
        }
        return new Stepped(settles, claims);
    }

    private Settled settle(
            PartitionState p, Settle settle, long incarnation, long nextToken, long leaseMillis, long now) {
        Position position = settle.position();
        long bit = incarnation == p.incarnation ? settle.bit() : -1;
        Claimed claim = p.claims.get(position);
        boolean ours = claim != null && claim.token() == settle.token();
        if (!ours && !(flaws.contains(Flaw.SETTLE_WITHOUT_TOKEN) && claim != null)) {
            return visible(p, settle, bit, claim, incarnation == StoreRequest.QUEUE)
                    ? Settled.Done.INSTANCE
                    : Settled.Refused.INSTANCE;
        }
        p.claims.remove(position);
        String key = settle.key();
        Verdict verdict = settle.verdict();
        if (verdict instanceof Returned) {
            returned(p, position, key, now);
            return Settled.Ok.PLAIN;
        }
        p.attempts.remove(position);
        p.setBit(bit);
        if (incarnation == StoreRequest.QUEUE) {
            p.remembered.settled(position, settle.bit(), p.holds(position), now);
        }
        if (verdict instanceof Retry retry) {
            p.tasks.put(position, Held.of(p.queue, retry.envelope()));
            p.retry.put(position, now + retry.delayMillis());
            if (key != null) {
                p.block(key, Why.HEAD, position);
                if (flaws.contains(Flaw.DROP_FOLLOWERS)) {
                    for (Position lost = p.pop(key); lost != null; lost = p.pop(key)) {
                        p.tasks.remove(lost);
                    }
                }
            }
            return Settled.Ok.PLAIN;
        }
        p.tasks.remove(position);
        if (verdict instanceof Dead dead) {
            return dead(p, position, key, dead, nextToken, leaseMillis, now);
        }
        p.succeeded++;
        return p.blockedBy(key, position) ? goOn(p, key, nextToken, leaseMillis, now) : Settled.Ok.PLAIN;
    }

    private static boolean visible(PartitionState p, Settle settle, long bit, @Nullable Claimed claim, boolean queue) {
        Held held = p.tasks.getOrDefault(settle.position(), p.dead.get(settle.position()));
        if (held != null && held.token() == settle.token()) {
            return true;
        }
        boolean settled = p.bit(bit) || queue && p.remembered.isOwed(settle.position());
        return settle.verdict() instanceof Success && settled && held == null && claim == null;
    }

    private Settled dead(
            PartitionState p,
            Position position,
            @Nullable String key,
            Dead verdict,
            long nextToken,
            long leaseMillis,
            long now) {
        p.dead.put(position, Held.of(p.queue, verdict.envelope()));
        if (key == null) {
            return Settled.Ok.PLAIN;
        }
        boolean head = p.blockedBy(key, position);
        switch (verdict.deadHead()) {
            case HALT -> p.block(key, Why.HALTED, position);
            case SKIP -> {
                if (head) {
                    return goOn(p, key, nextToken, leaseMillis, now);
                }
            }
            case DRAIN -> {
                for (Position next = p.pop(key); next != null; next = p.pop(key)) {
                    Held held = p.tasks.remove(next);
                    if (held != null) {
                        p.dead.put(next, held);
                    }
                }
                if (head) {
                    p.blocked.remove(key);
                    return Settled.Ok.OPENED;
                }
            }
        }
        return Settled.Ok.PLAIN;
    }

    /** The head of a blocked key has ended: the next one in its lane becomes the head, or the key opens. */
    private Settled goOn(PartitionState p, String key, long nextToken, long leaseMillis, long now) {
        if (flaws.contains(Flaw.OPEN_NOT_EMPTY)) {
            p.blocked.remove(key);
            return Settled.Ok.OPENED;
        }
        Position next = p.pop(key);
        while (next != null && !p.holds(next)) {
            next = p.pop(key);
        }
        if (next == null) {
            p.blocked.remove(key);
            return Settled.Ok.OPENED;
        }
        p.block(key, Why.HEAD, next);
        if (nextToken > 0) {
            p.claim(next, nextToken, key, p.executor, now + leaseMillis);
            return new Settled.Next(next, p.lapses(next), p.tasks.get(next).envelope());
        }
        p.retry.put(next, now);
        return Settled.Ok.PLAIN;
    }

    /** A claim that never became a run has gone. */
    private static void returned(PartitionState p, Position position, @Nullable String key, long now) {
        if (p.holds(position)) {
            p.retry.put(position, now);
        } else if (p.blockedBy(key, position)) {
            p.block(key, Why.REDELIVERY, position);
        }
    }

    /** The key's claim passes on to its next task, which runs already; unless the key is blocked or somebody has it. */
    private static void relay(PartitionState p, Claim then, @Nullable String executor, long deadline) {
        Position position = then.position();
        boolean blocked = then.key() != null && p.blocked.containsKey(then.key());
        if (!blocked && !p.claims.containsKey(position) && !p.holds(position) && !p.dead.containsKey(position)) {
            p.claim(position, then.token(), then.key(), executor, deadline);
        }
    }

    private StoreAnswer.Claimed claim(PartitionState p, Claim claim, long deadline) {
        Position position = claim.position();
        boolean held = p.holds(position);
        if (p.claims.containsKey(position) || claim.held() != held || !claim.held() && p.dead.containsKey(position)) {
            return StoreAnswer.Claimed.Done.INSTANCE;
        }
        if (p.blockedByAnother(claim.key(), position) && !flaws.contains(Flaw.IGNORE_BLOCKED)) {
            return new StoreAnswer.Claimed.KeyBlocked(p.blocked.get(claim.key()).head());
        }
        p.scheduled.remove(position);
        p.retry.remove(position);
        p.claim(position, claim.token(), claim.key(), p.executor, deadline);
        if (p.blockedBy(claim.key(), position)) {
            p.block(claim.key(), Why.HEAD, position);
        }
        return new StoreAnswer.Claimed.Ok(p.lapses(position));
    }

    // Hand

    private Handed hand(PartitionState p, Hand hand, long now) {
        if (full) {
            return new Handed(Collections.nCopies(hand.entries().size(), HandCode.NO_ROOM), p.nextDueMillis(now));
        }
        boolean current = hand.incarnation() == p.incarnation;
        if (current) {
            p.highWater = Math.max(p.highWater, hand.highWater());
        }
        Set<String> full = new HashSet<>();
        List<HandCode> codes = new ArrayList<>(hand.entries().size());
        for (Entry entry : hand.entries()) {
            boolean wasHeld = p.holds(entry.position());
            HandCode code = hand(p, hand, entry, current ? entry.bit() : -1, full, now);
            if (hand.incarnation() == StoreRequest.QUEUE && code == HandCode.OK) {
                p.remembered.settled(entry.position(), entry.bit(), wasHeld, now);
            }
            codes.add(code);
        }
        return new Handed(codes, p.nextDueMillis(now));
    }

    private HandCode hand(PartitionState p, Hand hand, Entry entry, long bit, Set<String> full, long now) {
        Position position = entry.position();
        boolean moves = entry.move() instanceof Park
                && entry.envelope() == null
                && (p.scheduled.has(position) || p.retry.has(position));
        boolean queue = hand.incarnation() == StoreRequest.QUEUE;
        boolean settled = p.bit(bit) || p.holds(position) || p.dead.containsKey(position);
        if (!moves && (settled || queue && p.remembered.isOwed(position))) {
            p.setBit(bit);
            if (queue) {
                boolean stays = flaws.contains(Flaw.KEEP_OWED);
                p.remembered.cameAgain(position, stays ? StoreRequest.OWED : entry.bit(), now);
            }
            return HandCode.DONE;
        }
        if (!moves && entry.move() instanceof Park && entry.envelope() == null) {
            // Nothing to park: it is not here.
            return HandCode.DONE;
        }
        if (entry.move() instanceof Park) {
            HandCode code = park(p, hand, entry, moves, full);
            if (code == HandCode.OK) {
                p.setBit(bit);
            }
            return code;
        }
        if (entry.move() instanceof Adopt) {
            Claimed claim = p.claims.get(position);
            if (claim == null) {
                return HandCode.GONE;
            }
            if (entry.key() != null && !p.blockedBy(entry.key(), position) && !p.overtaken(entry.key(), claim)) {
                p.block(entry.key(), claim.executor().equals(p.executor) ? Why.HEAD : Why.FOREIGN, position);
            }
        }
        Held held = Held.of(p.queue, entry.envelope());
        if (entry.move() instanceof Bury) {
            p.dead.put(position, held);
        } else {
            p.tasks.put(position, held);
        }
        if (entry.move() instanceof Schedule schedule) {
            p.scheduled.put(position, schedule.dueAt());
        }
        p.setBit(bit);
        return HandCode.OK;
    }

    private HandCode park(PartitionState p, Hand hand, Entry entry, boolean moves, Set<String> full) {
        String key = entry.key();
        Position position = entry.position();
        if (!p.blockedByAnother(key, position)) {
            return HandCode.OPEN;
        }
        boolean room = p.laneSize(key) < hand.maxParkedPerKey() && (moves || p.parked() < hand.maxParkedPerPartition());
        if (full.contains(key) || !room) {
            full.add(key);
            return HandCode.FULL;
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
        return HandCode.OK;
    }

    // Due

    private DueTasks due(PartitionState p, Due due, long now) {
        List<PartitionState.Due> fallen = new ArrayList<>(p.retry.upTo(now));
        fallen.addAll(p.scheduled.upTo(now));
        // A stable sort: of the same time, retries come first.
        fallen.sort(Comparator.comparingLong(PartitionState.Due::at));
        List<DueTask> claimed = new ArrayList<>();
        List<DueTask> offered = new ArrayList<>();
        boolean more = false;
        for (PartitionState.Due at : fallen) {
            Position position = at.position();
            Held held = p.tasks.get(position);
            PartitionState.DueSet set = p.retry.has(position) ? p.retry : p.scheduled;
            if (held == null) {
                set.remove(position);
                continue;
            }
            String key = due.ordered() ? held.key() : null;
            if (key == null || p.blockedBy(key, position)) {
                if (claimed.size() == due.maxClaims()) {
                    more = true;
                    continue;
                }
                long token = due.firstToken() + claimed.size();
                set.remove(position);
                p.claim(position, token, key, p.executor, now + due.leaseMillis());
                if (key != null) {
                    p.block(key, Why.HEAD, position);
                }
                claimed.add(new DueTask(position, token, p.lapses(position), held.envelope()));
            } else if (offered.size() == due.maxOffers()) {
                more = true;
            } else {
                set.put(position, now + due.leaseMillis());
                offered.add(new DueTask(position, 0, p.lapses(position), held.envelope()));
            }
        }
        return new DueTasks(claimed, offered, more ? 0 : p.nextDueMillis(now), more);
    }

    // Renew, patrol, late

    private Renewed renew(PartitionState p, Renew renew, long now) {
        p.leaseDeadline = now + renew.leaseMillis();
        List<Position> lost = extend(p, renew.positions(), renew.tokens(), p.leaseDeadline);
        List<String> opened = List.copyOf(p.opened);
        p.opened.clear();
        return new Renewed(runId, lost, opened, p.nextDueMillis(now), p.nextLapseMillis(now), true);
    }

    /** @return the positions that are not under that token any more */
    private static List<Position> extend(PartitionState p, List<Position> positions, long[] tokens, long deadline) {
        List<Position> lost = new ArrayList<>();
        for (int i = 0; i < tokens.length; i++) {
            Position position = positions.get(i);
            Claimed claim = p.claims.get(position);
            if (claim != null && claim.token() == tokens[i]) {
                p.claims.put(position, claim.until(deadline));
            } else {
                lost.add(position);
            }
        }
        return lost;
    }

    private static Patrolled patrol(PartitionState p, Patrol patrol, long now) {
        if (patrol.extendMillis() > 0) {
            p.leaseDeadline += p.leaseDeadline > 0 ? patrol.extendMillis() : 0;
            p.claims.replaceAll((position, claim) -> claim.until(claim.deadline() + patrol.extendMillis()));
            return new Patrolled(0, List.of(), p.nextDueMillis(now), p.nextLapseMillis(now));
        }
        List<Claimed> lapsed = new ArrayList<>();
        if (now >= p.quietUntil) {
            for (Claimed claim : p.claims.values()) {
                if (claim.deadline() <= now) {
                    lapsed.add(claim);
                }
            }
        }
        lapsed.sort(Comparator.comparingLong(Claimed::deadline)
                .thenComparing(claim -> claim.position().text()));
        List<Blocked> waiting = new ArrayList<>();
        List<Claimed> overtaken = new ArrayList<>();
        int returned = 0;
        for (Claimed claim : lapsed.subList(0, Math.min(patrol.limit(), lapsed.size()))) {
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
                    p.block(key, Why.HEAD, position);
                }
            } else if (key != null) {
                p.block(key, Why.REDELIVERY, position);
                waiting.add(p.blocked.get(key));
            }
        }
        // They had begun before anything that waits in the lane.
        overtaken.sort(Comparator.comparingLong(Claimed::token).reversed());
        overtaken.forEach(claim -> p.toLaneFront(claim.key(), claim.position()));
        return new Patrolled(returned, waiting, p.nextDueMillis(now), p.nextLapseMillis(now));
    }

    private LateSettled late(PartitionState p, Late late, long now) {
        Settle settle = late.settle();
        Claimed claim = p.claims.get(settle.position());
        boolean head = p.blockedBy(settle.key(), settle.position());
        boolean relays = settle.then() != null && claim != null && claim.token() == settle.token();
        if (relays
                && late.incarnation() == StoreRequest.QUEUE
                && !claim.executor().equals(p.executor)) {
            return new LateSettled(false);
        }
        if (relays && head && settle.verdict() instanceof Success && takeNext(p, settle.then())) {
            Position next = settle.then().position();
            p.block(settle.key(), Why.FOREIGN, next);
            if (!p.claims.containsKey(next)) {
                p.claim(next, settle.then().token(), settle.key(), claim.executor(), claim.deadline());
            }
        }
        Settled settled = settle(
                p, late.incarnation() == StoreRequest.QUEUE ? owed(settle) : settle, late.incarnation(), 0, 0, now);
        if (settled instanceof Settled.Refused) {
            return new LateSettled(false);
        }
        if (relays && !head && settled instanceof Settled.Ok) {
            relay(p, settle.then(), claim.executor(), claim.deadline());
        }
        boolean wentOn = settle.verdict() instanceof Returned || !p.blockedBy(settle.key(), settle.position());
        if (head && wentOn && settled instanceof Settled.Ok) {
            p.opened.add(settle.key());
        }
        return new LateSettled(true);
    }

    private static Settle owed(Settle settle) {
        return new Settle(
                settle.position(),
                settle.token(),
                settle.key(),
                StoreRequest.OWED,
                settle.verdict(),
                settle.nextToken(),
                settle.then());
    }

    // Queues: what a redelivery could be, in another partition

    private Recalled recall(PartitionState p, long now) {
        List<Live> live = new ArrayList<>();
        for (Claimed claim : p.claims.values()) {
            if (!p.holds(claim.position())) {
                boolean former = !claim.executor().equals(p.executor);
                live.add(new Live(claim.position(), former, claim.deadline() - now));
            }
        }
        live.sort(Comparator.comparing(each -> each.position().text()));
        boolean complete = p.executor == null || runId.equals(p.runId) && now >= p.quietUntil;
        return new Recalled(runId, complete, live, p.past());
    }

    private Redelivered redeliver(PartitionState p, Redeliver redeliver, long now) {
        if (full) {
            return new Redelivered(
                    runId, Collections.nCopies(redeliver.messages().size(), HandCode.NO_ROOM), true);
        }
        List<HandCode> codes = new ArrayList<>();
        for (Redelivery message : redeliver.messages()) {
            codes.add(redeliver(p, message, redeliver.by(), now + redeliver.afterMillis(), now));
        }
        return new Redelivered(runId, codes, true);
    }

    private HandCode redeliver(PartitionState p, Redelivery message, String by, long after, long now) {
        Position position = message.position();
        HandCode before = p.remembered.givenUp(position, by);
        if (before != null) {
            return before;
        }
        if (p.remembered.isOwed(position)) {
            boolean stays = flaws.contains(Flaw.KEEP_OWED);
            return stays ? HandCode.DONE : p.remembered.giveUp(position, by, HandCode.DONE, now);
        }
        Claimed claim = p.claims.get(position);
        if (p.holds(position) || claim == null && !p.attempts.containsKey(position)) {
            return HandCode.GONE;
        }
        p.tasks.put(position, Held.of(p.queue, message.envelope()));
        if (claim == null) {
            p.retry.put(position, after);
        } else if (claim.deadline() < after) {
            p.claims.put(position, claim.until(after));
        }
        return p.remembered.giveUp(position, by, HandCode.OK, now);
    }

    /** Takes a former owner's next task out of the lane, or of where it waits to be due. */
    private static boolean takeNext(PartitionState p, Claim then) {
        Position next = then.position();
        Claimed standing = p.claims.get(next);
        if (standing != null) {
            return standing.token() == then.token();
        } else if (p.dead.containsKey(next)) {
            return false;
        } else if (!p.holds(next) || p.scheduled.remove(next) || p.retry.remove(next)) {
            return true;
        }
        return p.takeOutOfLane(then.key(), next);
    }

    private static Map<Partition, PartitionState> copies(Map<Partition, PartitionState> states) {
        Map<Partition, PartitionState> copies = new LinkedHashMap<>();
        states.forEach((partition, state) -> copies.put(partition, state.copy()));
        return copies;
    }
}
