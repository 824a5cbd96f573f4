package dev.tandem.ordering.ownership;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether this process owns one partition, and what it needs to know to acquire it. */
public final class Ownership {

    /** The epoch while nothing is held. */
    public static final long NO_EPOCH = 0;

    private final Partition partition;
    private OwnershipPhase phase = OwnershipPhase.LEFT;
    private Source.Facts facts = Source.Facts.NONE;
    private long factsAt;
    private boolean confirmFirst;
    private long retryAt;
    private StoreRequest.@Nullable Acquire acquiring;
    private long acquireSentAt;
    private long acquiredWith;
    private String runId = "";
    private boolean continues;
    private boolean releaseSent;
    private long heldEpoch = NO_EPOCH;

    public Ownership(Partition partition) {
        this.partition = partition;
    }

    /** Changes the phase, if that is a legal step. */
    private void become(OwnershipPhase next) {
        if (!phase.mayBecome(next)) {
            throw new IllegalStateException(
                    "The ownership of " + partition + " cannot go from " + phase + " to " + next);
        }
        phase = next;
    }

    /** Makes sure that what has happened can happen in this phase. */
    private void require(OwnershipPhase... possible) {
        if (!List.of(possible).contains(phase)) {
            throw new IllegalStateException(
                    "This cannot happen to " + partition + " in phase " + phase + ", only in " + List.of(possible));
        }
    }

    // ---- the phase ----

    public OwnershipPhase phase() {
        return phase;
    }

    public boolean isWaiting() {
        return phase == OwnershipPhase.WAITING;
    }

    public boolean isConfirming() {
        return phase == OwnershipPhase.CONFIRMING;
    }

    public boolean isAcquiring() {
        return phase == OwnershipPhase.ACQUIRING;
    }

    public boolean isOwned() {
        return phase == OwnershipPhase.OWNED;
    }

    public boolean isLeaving() {
        return phase == OwnershipPhase.LEAVING;
    }

    public boolean isLeft() {
        return phase == OwnershipPhase.LEFT;
    }

    // ---- the broker ----

    /** The broker assigned the partition, which this process does not own. */
    public void assigned(Source.Facts now, long nowMillis) {
        require(OwnershipPhase.LEFT);
        become(OwnershipPhase.WAITING);
        facts = now;
        factsAt = nowMillis;
        confirmFirst = false;
        continues = false;
        releaseSent = false;
        retryAt = 0;
    }

    /** The facts that the broker last told about the partition. */
    public Source.Facts facts() {
        return facts;
    }

    /** Whether the partition may be acquired now, as far as its last refusal tells. */
    public boolean mayTry(long nowMillis) {
        return nowMillis >= retryAt;
    }

    public long retryAt() {
        return retryAt;
    }

    /**
     * Whether the broker must be asked first whether the partition is still ours. What it said long ago says nothing of now:
     * this process may have been frozen.
     */
    public boolean mustConfirm(long nowMillis, long maxAgeMillis) {
        return confirmFirst || nowMillis - factsAt > maxAgeMillis;
    }

    public void confirming() {
        become(OwnershipPhase.CONFIRMING);
    }

    public void confirmed(Source.Facts now, long nowMillis) {
        require(OwnershipPhase.CONFIRMING);
        become(OwnershipPhase.WAITING);
        facts = now;
        factsAt = nowMillis;
        confirmFirst = false;
        retryAt = 0;
    }

    /** The question to the broker must be asked again. */
    public void confirmAgain() {
        require(OwnershipPhase.CONFIRMING);
        become(OwnershipPhase.WAITING);
        confirmFirst = true;
    }

    // ---- the store ----

    public void acquiring(StoreRequest.Acquire request, long nowMillis) {
        become(OwnershipPhase.ACQUIRING);
        acquiring = request;
        acquireSentAt = nowMillis;
    }

    public StoreRequest.@Nullable Acquire acquiring() {
        return acquiring;
    }

    /** Takes the acquire in flight, if this is it. @return whether it is */
    public boolean takeAcquiring(StoreRequest.Acquire request) {
        boolean same = request == acquiring;
        if (same) {
            acquiring = null;
        }
        return same;
    }

    public long acquireSentAt() {
        return acquireSentAt;
    }

    /**
     * @param number of the acquire
     * @param storeRunId the store's process
     */
    public void acquired(long epoch, long number, String storeRunId) {
        become(OwnershipPhase.OWNED);
        acquiredWith = number;
        runId = storeRunId;
        continues = true;
        heldEpoch = epoch;
    }

    /** The number of the acquire that began this ownership. */
    public long acquiredWith() {
        return acquiredWith;
    }

    /** The store's process when the partition was last acquired, "" if it never was. */
    public String runId() {
        return runId;
    }

    /** Whether nobody else can have owned the partition since the last acquire, whatever the store remembers. */
    public boolean continues() {
        return continues;
    }

    /** The store refused the acquire, since another process holds the lease. */
    public void refused(long tryAgainAt) {
        require(OwnershipPhase.ACQUIRING);
        become(OwnershipPhase.WAITING);
        confirmFirst = true;
        retryAt = tryAgainAt;
    }

    /** The connection to the store broke, or what it said cannot be trusted: the partition must be acquired again. */
    public void acquireAgain() {
        require(OwnershipPhase.ACQUIRING, OwnershipPhase.OWNED);
        become(OwnershipPhase.WAITING);
        acquiring = null;
        confirmFirst = true;
        retryAt = 0;
    }

    /** Another process has owned the partition since it was acquired. */
    public void interrupted() {
        continues = false;
    }

    // ---- the end ----

    public void leaving() {
        become(OwnershipPhase.LEAVING);
    }

    public boolean isReleaseSent() {
        return releaseSent;
    }

    public void releaseSent() {
        releaseSent = true;
    }

    public void left() {
        if (!isLeft()) {
            become(OwnershipPhase.LEFT);
        }
        acquiring = null;
    }

    /** Returns the epoch that this process last held and has not told anybody the end of, or {@link #NO_EPOCH}. Once. */
    public long takeHeldEpoch() {
        long epoch = heldEpoch;
        heldEpoch = NO_EPOCH;
        return epoch;
    }
}
