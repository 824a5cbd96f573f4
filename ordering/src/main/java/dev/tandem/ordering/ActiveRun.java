package dev.tandem.ordering;

import org.jspecify.annotations.Nullable;

/** A run that this process has started, until its outcome is queued. */
final class ActiveRun {

    final Run run;
    final @Nullable String key;
    final long startedAt;
    /** The task's entry in this ownership; null after the ownership that started it ended. */
    @Nullable
    TaskEntry entry;
    /** The store holds our claim, as far as we know. */
    boolean owned = true;
    /** Its envelope is on its way to the store, or there. */
    boolean adopted;
    /** The outcome that brings its claim to the store, until that is answered. */
    PendingItem.@Nullable Outcome broughtBy;
    /** The token of the claim that it was relayed from; 0 if from none. */
    long after;
    /** How many runs in a row were relayed, this one included. */
    int relays;

    /** A queue: its message is unacked and its channel gone, so it is certain to come again. */
    boolean owes;

    ActiveRun(Run run, @Nullable String key, long startedAt, TaskEntry entry) {
        this.run = run;
        this.key = key;
        this.startedAt = startedAt;
        this.entry = entry;
        this.adopted = entry.inStore;
    }
}
