package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer.AlreadyApplied;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.Fenced;
import dev.tandem.task.store.StoreAnswer.Gap;
import dev.tandem.task.store.StoreAnswer.Ok;
import dev.tandem.task.store.StoreRequest.AbandonPosition;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.DeclineOffers;
import dev.tandem.task.store.StoreRequest.ExpireLeases;
import dev.tandem.task.store.StoreRequest.ForwardRedeliveries;
import dev.tandem.task.store.StoreRequest.KeepClaims;
import dev.tandem.task.store.StoreRequest.ListKnownPositions;
import dev.tandem.task.store.StoreRequest.OwnerRequest;
import dev.tandem.task.store.StoreRequest.RecordCommit;
import dev.tandem.task.store.StoreRequest.Release;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store protocol in plain Java, rule for rule as {@code docs/store-protocol.md} states it. Deterministic: the time
 * is passed in. The simulations of the core run against it, and the scripts are compared with it.
 *
 * <p>Not thread-safe.
 */
public final class StoreModel {

    /** A rule that the model breaks on purpose, so that a test can show that the simulations notice it. */
    public enum Flaw {
        /** A former owner's requests apply. */
        SKIP_EPOCH,
        /** A number that was applied before applies once more. */
        REUSE_NUMBER,
        /** A claim is granted although its key is blocked. */
        IGNORE_BLOCKED,
        /** A settle is recorded although its token is not the claim's. */
        SETTLE_WITHOUT_TOKEN,
        /** The retry of a head forgets the lane behind it. */
        DROP_FOLLOWERS,
        /** A key opens although tasks wait in its lane. */
        OPEN_NOT_EMPTY,
        /** Numbers that step back are not reported as a gap. */
        HIDE_GAP,
        /** A position still awaits redelivery after its message was redelivered. */
        KEEP_AWAITING
    }

    private final Map<Partition, ModelPartition> partitions = new LinkedHashMap<>();
    private final Set<Flaw> flaws;
    private String runId;
    private boolean memoryFull;

    public StoreModel(String runId, Flaw... flaws) {
        this.runId = runId;
        this.flaws = EnumSet.noneOf(Flaw.class);
        this.flaws.addAll(List.of(flaws));
    }

    /** The whole data of a store at one moment. */
    public record Snapshot(Map<Partition, ModelPartition> partitions) {}

    public Snapshot snapshot() {
        return new Snapshot(copies(partitions));
    }

    /** Goes back to a snapshot, which may be used again. The run id stays. */
    public void restore(Snapshot snapshot) {
        partitions.clear();
        partitions.putAll(copies(snapshot.partitions));
    }

    private static Map<Partition, ModelPartition> copies(Map<Partition, ModelPartition> originals) {
        Map<Partition, ModelPartition> copies = new LinkedHashMap<>();
        originals.forEach((partition, original) -> copies.put(partition, original.copy()));
        return copies;
    }

    /** Changes the run id, as if another process had taken over the data. */
    public void restarted(String newRunId) {
        runId = newRunId;
    }

    public String runId() {
        return runId;
    }

    /** Sets whether the store's memory is full from now on. */
    public void full(boolean isFull) {
        memoryFull = isFull;
    }

    /** Returns the data of a partition, for reading. */
    public ModelPartition partition(Partition partition) {
        return partitions.computeIfAbsent(partition, p -> new ModelPartition(p.queue()));
    }

    /** Returns the milliseconds until the next task of a partition is due; -1 if none waits for its time. */
    public long millisToNextDue(Partition partition, long now) {
        return partition(partition).nextDueMillis(now);
    }

    public StoreAnswer apply(StoreRequest request, long now) {
        ModelPartition partition = partition(request.partition());
        partition.redeliveries.expire(now);
        if (request instanceof SettleLate late) {
            return new ModelLateSettling(partition, flaws, now).apply(late);
        } else if (request instanceof KeepClaims keep) {
            return new ModelLeases(partition, now).apply(keep);
        } else if (request instanceof ListKnownPositions) {
            return new ModelForwarding(partition, flaws, runId, now).listKnownPositions();
        } else if (request instanceof ForwardRedeliveries forward) {
            return new ModelForwarding(partition, flaws, runId, now).apply(forward, memoryFull);
        } else if (request instanceof RunRequest run) {
            return partition.notes.apply(run, partition.tasks, now);
        }
        OwnerRequest numbered = (OwnerRequest) request;
        StoreAnswer refusal = refusal(partition, numbered, now);
        if (refusal != null) {
            return refusal;
        }
        StoreAnswer answer = applyNumbered(partition, numbered, now);
        partition.writers.put(numbered.header().writer(), numbered.header().number());
        return answer;
    }

    /** Returns the answer to a request that must not be applied; null if it may be. */
    private @Nullable StoreAnswer refusal(ModelPartition partition, OwnerRequest request, long now) {
        RequestHeader header = request.header();
        boolean acquire = request instanceof Acquire;
        boolean ofOwner = partition.executor != null && header.epoch() == partition.epoch;
        if (!acquire && !ofOwner && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Fenced();
        }
        long stored = partition.writers.getOrDefault(header.writer(), 0L);
        if (header.number() == stored && !flaws.contains(Flaw.REUSE_NUMBER)) {
            return new AlreadyApplied();
        }
        boolean inOrder =
                acquire ? header.number() > stored : header.number() == stored + 1 || header.number() == stored;
        if (!inOrder && !flaws.contains(Flaw.HIDE_GAP) && !flaws.contains(Flaw.SKIP_EPOCH)) {
            return new Gap(stored);
        }
        return acquire ? ModelAcquisition.refusal(partition, (Acquire) request, now) : null;
    }

    private StoreAnswer applyNumbered(ModelPartition partition, OwnerRequest request, long now) {
        if (request instanceof SettleAndClaim settleAndClaim) {
            return new ModelSettling(partition, flaws, now).apply(settleAndClaim);
        } else if (request instanceof TakeCustody takeCustody) {
            return new ModelCustody(partition, flaws, now).apply(takeCustody, memoryFull);
        } else if (request instanceof ClaimDue claimDue) {
            return ModelDueTasks.claim(partition, claimDue, now);
        } else if (request instanceof ReadLines read) {
            return ModelLines.read(partition, read);
        } else if (request instanceof DeclineOffers decline) {
            ModelDueTasks.decline(partition, decline, now);
        } else if (request instanceof RenewLeases renew) {
            return new ModelLeases(partition, now).apply(renew, runId);
        } else if (request instanceof ExpireLeases expire) {
            return new ModelLeases(partition, now).apply(expire);
        } else if (request instanceof Acquire acquire) {
            return new ModelAcquisition(partition, acquire, runId, now).apply();
        } else if (request instanceof RecordCommit commit) {
            record(partition, commit);
        } else if (request instanceof AbandonPosition abandon) {
            abandon(partition, abandon, now);
        } else if (request instanceof Release) {
            partition.released = true;
        }
        return new Ok(partition.nextDueMillis(now));
    }

    private static void record(ModelPartition partition, RecordCommit commit) {
        if (commit.incarnation() == Incarnation.NO_OFFSETS) {
            partition.redeliveries.dropPagesBelow(commit.committed());
        } else if (commit.incarnation().is(partition.incarnation)) {
            partition.settled.raiseCommit(commit.committed());
            partition.settled.dropCommittedChunks();
        }
    }

    private void abandon(ModelPartition partition, AbandonPosition abandon, long now) {
        if (abandon.key() == null) {
            if (!partition.tasks.isClaimed(abandon.position()) && !partition.tasks.holds(abandon.position())) {
                partition.attempts.remove(abandon.position());
                partition.notes.forget(abandon.position());
                partition.redeliveries.forgetAwaited(abandon.position());
            }
            return;
        }
        BlockedKey entry = partition.blocked.get(abandon.key());
        if (entry != null
                && entry.reason() == BlockReason.REDELIVERY
                && entry.head().equals(abandon.position())) {
            new ModelSettling(partition, flaws, now).passOn(entry.key(), 0);
            partition.attempts.remove(abandon.position());
            partition.notes.forget(abandon.position());
        }
    }
}
