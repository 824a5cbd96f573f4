package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.LapsedClaim;
import dev.tandem.task.store.StoreAnswer.RedeliveryHistory;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict.Success;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The data of one partition, part for part as {@code docs/store-protocol.md} lists it. */
public final class ModelPartition {

    final String queue;

    // The ownership
    @Nullable
    String executor;

    long epoch;
    /** The highest token that was issued. */
    long token;
    /** How far the latest epoch is ahead of the clock, in microseconds. */
    long epochLead;

    long leaseDeadline;
    /** When the covered claims lapse. */
    long coveredUntil;
    /** Whether the owner has released the partition. Its lease then only keeps older generations out. */
    boolean released;

    long generation = -1;
    String runId = "";
    long quietUntil;

    /** The number of the latest acquire. */
    long lastAcquire;
    /** The number of the request that was applied last before the latest acquires, which followed one another. */
    long lastBeforeAcquires;
    /** Each writer with the number of its last applied request. */
    final Map<String, Long> writers = new LinkedHashMap<>();

    // The log
    long incarnation;
    String sourceId = "";
    long highWater;
    SettledOffsets settled = new SettledOffsets();

    // Tasks and keys
    ModelTasks tasks = new ModelTasks();
    final Map<Position, Integer> attempts = new HashMap<>();
    final Map<String, BlockedKey> blocked = new LinkedHashMap<>();
    final Set<String> opened = new LinkedHashSet<>();
    ModelRedeliveries redeliveries = new ModelRedeliveries();
    ModelNotes notes = new ModelNotes();
    private final List<KeptSuccess> successes = new ArrayList<>();

    /** The record of a task that succeeded. */
    public record KeptSuccess(Position position, SuccessRecord success) {}

    ModelPartition(String queue) {
        this.queue = queue;
    }

    ModelPartition copy() {
        ModelPartition copy = new ModelPartition(queue);
        copy.executor = executor;
        copy.epoch = epoch;
        copy.token = token;
        copy.epochLead = epochLead;
        copy.leaseDeadline = leaseDeadline;
        copy.coveredUntil = coveredUntil;
        copy.released = released;
        copy.generation = generation;
        copy.runId = runId;
        copy.quietUntil = quietUntil;
        copy.lastAcquire = lastAcquire;
        copy.lastBeforeAcquires = lastBeforeAcquires;
        copy.writers.putAll(writers);
        copy.incarnation = incarnation;
        copy.sourceId = sourceId;
        copy.highWater = highWater;
        copy.settled = settled.copy();
        copy.tasks = tasks.copy();
        copy.attempts.putAll(attempts);
        copy.blocked.putAll(blocked);
        copy.opened.addAll(opened);
        copy.redeliveries = redeliveries.copy();
        copy.notes = notes.copy();
        copy.successes.addAll(successes);
        return copy;
    }

    // What a simulation checks

    /** Returns the executor of the latest ownership, whether its lease still lives or not. */
    public @Nullable String executor() {
        return executor;
    }

    public boolean leaseLives(long now) {
        return executor != null && !released && leaseDeadline > now;
    }

    /** Returns how far tokens are ahead of the clock now, in microseconds. It shrinks by half of the time that passes. */
    long tokenLead(long now) {
        long passed = Math.max(0, now * 1_000 - (epoch - epochLead));
        return Math.max(0, epochLead - passed / 2);
    }

    public long epoch() {
        return epoch;
    }

    public long incarnation() {
        return incarnation;
    }

    public long storedCommit() {
        return settled.storedCommit();
    }

    public long succeeded() {
        return tasks.succeeded();
    }

    /** Returns what the runs of a task have noted. */
    public TaskNotes notes(Position position) {
        return notes.of(position);
    }

    /** Returns the checkpoint of a task; null if it has none. */
    public byte @Nullable [] checkpoint(Position position) {
        return notes.checkpoint(position);
    }

    /** Returns what is kept of tasks that succeeded, in the order in which their outcomes were recorded. */
    public List<KeptSuccess> successes() {
        return successes;
    }

    /** Returns all claims that no settle or patrol has removed, whatever their deadline. */
    public Collection<StoredClaim> claims() {
        return tasks.claims().values();
    }

    public @Nullable StoredClaim claim(Position position) {
        return tasks.claim(position);
    }

    /** Returns when a claim lapses. */
    public long deadline(StoredClaim claim) {
        return claim.isCovered() ? coveredUntil : claim.lease();
    }

    /** Returns a task's state. A task that the store has no record of counts as delivered. */
    public TaskState state(Position position) {
        return tasks.state(position);
    }

    /** Whether the store has custody of this unfinished task. */
    public boolean holds(Position position) {
        return tasks.holds(position);
    }

    public Set<Position> inStore() {
        return tasks.held();
    }

    public Set<Position> dead() {
        return tasks.dead();
    }

    /** Returns the envelope of a task that is held or dead, else null. */
    public byte @Nullable [] envelope(Position position) {
        StoredEnvelope envelope = tasks.heldOrDeadEnvelope(position);
        return envelope == null ? null : envelope.bytes();
    }

    public List<Position> lane(String key) {
        return tasks.lane(key);
    }

    public Set<String> lanes() {
        return tasks.lanes();
    }

    /** Returns how many tasks are in all lanes together. */
    public int parked() {
        return tasks.parked();
    }

    public Collection<BlockedKey> blocked() {
        return blocked.values();
    }

    public @Nullable BlockedKey blocked(String key) {
        return blocked.get(key);
    }

    public int lapses(Position position) {
        return attempts.getOrDefault(position, 0);
    }

    /** Whether the task is settled and its message is certain to be redelivered. */
    public boolean awaitsRedelivery(Position position) {
        return redeliveries.isAwaited(position);
    }

    /** Whether this offset of the current incarnation is settled: below the stored commit, or its bit is set. */
    public boolean isSettled(long offset) {
        return settled.contains(offset);
    }

    /** Returns the contradictions in this data; empty if there are none. */
    public List<String> faults() {
        return tasks.faults(blocked.keySet());
    }

    /** Whether something is kept of every success. The core says it of each, and simulated stores trim nothing. */
    public boolean keepsEverySuccess() {
        return successes.size() == tasks.succeeded();
    }

    // Shared by several requests

    /** @param lease of its own, or {@link StoredClaim#COVERED} */
    void claim(Position position, long claimToken, @Nullable String key, String holder, long lease) {
        tasks.activate(new StoredClaim(position, claimToken, key, holder, lease));
        token = Math.max(token, claimToken);
    }

    /** Gives all covered claims leases of their own, which end when they would have lapsed. */
    void uncoverClaims() {
        for (StoredClaim claim : List.copyOf(claims())) {
            if (claim.isCovered()) {
                tasks.extendClaim(claim, coveredUntil);
            }
        }
    }

    void block(String key, BlockReason reason, Position head) {
        blocked.put(key, new BlockedKey(key, reason, head));
    }

    boolean isHead(@Nullable String key, Position position) {
        BlockedKey entry = key == null ? null : blocked.get(key);
        return entry != null && entry.head().equals(position);
    }

    boolean isBlockedByAnother(@Nullable String key, Position position) {
        BlockedKey entry = key == null ? null : blocked.get(key);
        return entry != null && !entry.head().equals(position);
    }

    /** Ends a claim that never became a run. */
    void takeBack(Position position, @Nullable String key, long now) {
        if (tasks.holds(position)) {
            tasks.retryHeld(position, now);
            return;
        }
        tasks.returnToBroker(position);
        if (isHead(key, position)) {
            block(key, BlockReason.REDELIVERY, position);
        }
    }

    /** Lets an operator retry a dead task that is not the head of a blocked key. */
    public void retryDead(Position position, long now) {
        tasks.retryDead(queue, position, now);
    }

    StoredEnvelope stored(byte[] envelope) {
        return StoredEnvelope.of(queue, envelope);
    }

    /** Keeps what requests say of successes that they recorded. */
    void keepSuccesses(List<Settle> settles, List<SettleResult> results) {
        Set<Position> leftOut = new HashSet<>();
        for (int i = 0; i < settles.size(); i++) {
            if (results.get(i) instanceof SettleResult.Done || results.get(i) instanceof SettleResult.Refused) {
                leftOut.add(settles.get(i).position());
            }
        }
        for (Settle settle : settles) {
            if (settle.verdict() instanceof Success success
                    && success.record() != null
                    && !leftOut.contains(settle.position())) {
                successes.add(new KeptSuccess(settle.position(), success.record()));
            }
        }
    }

    /** Keeps what is said of a task that ended. */
    void keep(Position position, SuccessRecord record) {
        successes.add(new KeptSuccess(position, record));
    }

    // Parts of answers

    long nextDueMillis(long now) {
        long earliest = tasks.earliestDue();
        return earliest == Long.MAX_VALUE ? -1 : Math.max(0, earliest - now);
    }

    long nextLapseMillis(long now) {
        long earliest = Long.MAX_VALUE;
        for (StoredClaim claim : tasks.claims().values()) {
            earliest = Math.min(earliest, deadline(claim));
        }
        return earliest == Long.MAX_VALUE ? -1 : Math.max(0, Math.max(earliest, quietUntil) - now);
    }

    RedeliveryHistory history() {
        List<LapsedClaim> lapsed = new ArrayList<>();
        attempts.forEach((position, lapses) -> {
            if (!tasks.holds(position) && !tasks.isClaimed(position) && !redeliveries.isAwaited(position)) {
                lapsed.add(new LapsedClaim(position, lapses));
            }
        });
        lapsed.sort(Comparator.comparing(each -> each.position().text()));
        return new RedeliveryHistory(lapsed, redeliveries.awaited(), redeliveries.pages());
    }
}
