package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.requests.PendingOutcome;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import org.jspecify.annotations.Nullable;

/** A run that this process has started, until its outcome is queued. */
final class ActiveRun {

    private final Run run;
    private final @Nullable String key;
    private final long startedAt;
    private final long relayedFrom;
    private final int relays;

    private @Nullable TaskEntry entry;
    private boolean owned = true;
    private boolean adopted;
    private @Nullable PendingOutcome broughtBy;
    private boolean awaitsRedelivery;
    private boolean recordLost;

    private ActiveRun(
            Run run,
            TaskEntry entry,
            long startedAt,
            @Nullable PendingOutcome broughtBy,
            long relayedFrom,
            int relays) {
        this.run = run;
        this.key = entry.key();
        this.entry = entry;
        this.startedAt = startedAt;
        this.adopted = entry.isInStore();
        this.broughtBy = broughtBy;
        this.relayedFrom = relayedFrom;
        this.relays = relays;
    }

    /** A run under a claim that the store confirmed. */
    static ActiveRun claimed(Run run, TaskEntry entry, long now) {
        return new ActiveRun(run, entry, now, null, 0, 0);
    }

    /** A run whose claim the outcome of the key's previous task brings to the store. */
    static ActiveRun relayed(Run run, TaskEntry entry, long now, PendingOutcome broughtBy, ActiveRun previous) {
        return new ActiveRun(run, entry, now, broughtBy, broughtBy.token(), previous.relays + 1);
    }

    Run run() {
        return run;
    }

    @Nullable
    String key() {
        return key;
    }

    long startedAt() {
        return startedAt;
    }

    /** The task's entry in this ownership. Null after the ownership that started the run ended. */
    @Nullable
    TaskEntry entry() {
        return entry;
    }

    void entry(@Nullable TaskEntry now) {
        entry = now;
    }

    /** Whether the store holds our claim, as far as is known. */
    boolean isOwned() {
        return owned;
    }

    void owned(boolean held) {
        owned = held;
    }

    /** Forgets the ownership that started the run. */
    void ownershipOver() {
        owned = false;
        entry = null;
    }

    /** Whether the task's envelope is on its way to the store, or there. */
    boolean isAdopted() {
        return adopted;
    }

    void adopted() {
        adopted = true;
    }

    // ---- relays ----

    /** The token of the claim from which the run's own was relayed; 0 if from none. */
    long relayedFrom() {
        return relayedFrom;
    }

    /** How many runs in a row were relayed, this one included. */
    int relays() {
        return relays;
    }

    boolean isBroughtBy(PendingOutcome outcome) {
        return broughtBy == outcome;
    }

    void broughtByAnswered() {
        broughtBy = null;
    }

    /** Whether the claim has been sent to the store, be it by itself or with the outcome that relays it. */
    boolean isClaimSent() {
        return broughtBy == null || broughtBy.isSent();
    }

    // ---- logs ----

    /** Whether the log was cut since, and does not have the record any more. */
    boolean isRecordLost() {
        return recordLost;
    }

    void recordLost(boolean lost) {
        recordLost |= lost;
    }

    // ---- message queues ----

    /** Whether the message is unacked and its channel is gone, so that it is certain to be redelivered. */
    boolean awaitsRedelivery() {
        return awaitsRedelivery;
    }

    void awaitsRedelivery(boolean certain) {
        awaitsRedelivery = certain;
    }

    /** @param offset of the task in the incarnation that is known */
    PresentedClaim presented(long offset) {
        return new PresentedClaim(
                run.position(), run.token(), key, run.attempt(), TaskEntry.offsetMark(offset), 0, relayedFrom);
    }
}
