package dev.tandem.ordering.requests;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.DeadHead;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.jspecify.annotations.Nullable;

/** The outcome of one run. */
public final class PendingOutcome implements PendingWrite {

    /** The number of no request. */
    private static final long NOT_SENT = 0;

    /** The token of no claim. */
    private static final long NO_TOKEN = 0;

    private TaskEntry entry;
    private final long token;
    private final int attempt;
    private final Verdict verdict;
    private final long relayedFrom;
    private long sentIn = NOT_SENT;
    private boolean sentAgain;
    private boolean claimOver;
    private boolean reported;
    private @Nullable Claim relayed;

    /** @param relayedFrom the token of the claim from which the run's own was relayed; 0 if from none */
    public PendingOutcome(TaskEntry entry, long token, int attempt, Verdict verdict, long relayedFrom) {
        this.entry = entry;
        this.token = token;
        this.attempt = attempt;
        this.verdict = verdict;
        this.relayedFrom = relayedFrom;
    }

    @Override
    public TaskEntry entry() {
        return entry;
    }

    public long token() {
        return token;
    }

    public Verdict verdict() {
        return verdict;
    }

    public boolean succeeds() {
        return verdict instanceof Verdict.Success;
    }

    /** Whether the run never began. */
    public boolean isReturned() {
        return verdict instanceof Verdict.Returned;
    }

    /** Whether the task's key is blocked once this is recorded. */
    public boolean blocksKey() {
        return verdict instanceof Verdict.Retry || isDeadWith(DeadHead.HALT);
    }

    public boolean isDeadWith(DeadHead policy) {
        return verdict instanceof Verdict.Dead dead && dead.deadHead() == policy;
    }

    // ---- on its way ----

    /** Notes the request that carries the outcome. An acquire presents the claim as ended if that request was applied. */
    public void sentIn(long number) {
        if (!claimOver) {
            sentIn = number;
        }
    }

    /** Whether an earlier request carried the outcome and its answer was missed. */
    public boolean isSentAgain() {
        return sentAgain;
    }

    public void sentAgain() {
        sentAgain = true;
    }

    /** Notes what an acquire said of the claim. If the claim is over, sending the outcome again has no effect. */
    public void claimOver(boolean over) {
        claimOver = over;
    }

    /**
     * Whether this was recorded, or may have been, as the outcome of a task whose message is still to be redelivered. A
     * returned run records nothing.
     */
    public boolean mayHaveBeenRecordedAwaitingRedelivery() {
        return sentIn != NOT_SENT && entry.awaitsRedelivery() && !isReturned();
    }

    /** Has it said when this is recorded. */
    public void reportWhenRecorded() {
        reported = true;
    }

    /** Whether it is to be said when this is recorded. */
    public boolean isReported() {
        return reported;
    }

    // ---- relays ----

    /** The claim of the task that was started when this run had ended, or null. */
    public @Nullable Claim relayed() {
        return relayed;
    }

    public void relays(Claim next) {
        relayed = next;
    }

    public void relaysNothing() {
        relayed = null;
    }

    /** Whether the run is one of a series in which each claim was brought by the outcome before it. */
    public boolean isRelayed() {
        return relayedFrom != NO_TOKEN || relayed != null;
    }

    /** Whether the outcome has reached a request, and so has brought the claim that it relays. */
    public boolean isSent() {
        return sentIn != NOT_SENT;
    }

    // ---- what the store is told ----

    /** @param nextToken as in {@link Settle} */
    public Settle settle(long nextToken) {
        return new Settle(entry.position(), token, entry.key(), entry.settledMark(), verdict, nextToken, relayed);
    }

    public PresentedClaim presented() {
        return new PresentedClaim(
                entry.position(), token, entry.key(), attempt, entry.offsetMark(), sentIn, relayedFrom);
    }

    /** Whether forgetting the outcome could lose, or repeat, a task that only the store knows. */
    public boolean movesCustody() {
        return succeeds() ? !entry.isTracked() || entry.isInStore() : !isReturned();
    }

    /** Lets this settle the given delivery of the task, which came again. */
    public void attach(TaskEntry delivered) {
        entry = delivered;
    }

    @Override
    public PendingWrite replacing(PendingWrite older) {
        if (older.entry().isTracked() && !entry.isTracked()) {
            entry = older.entry();
        }
        return this;
    }

    @Override
    public String toString() {
        return verdict.getClass().getSimpleName() + " of " + entry;
    }
}
