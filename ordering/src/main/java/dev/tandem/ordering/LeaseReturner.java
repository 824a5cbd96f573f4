package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import org.jspecify.annotations.Nullable;

/**
 * Gives back the lease of a queue's partition that was left in a hurry: its channel broke, or it was not wanted any more
 * while it was being acquired. So nobody has to wait until it lapses. A log needs none: its next owner comes with a higher
 * generation.
 */
final class LeaseReturner {

    private final PartitionState m;
    /** Left before it was answered; it may give us the lease yet. */
    private StoreRequest.@Nullable Acquire unanswered;

    private boolean wanted;
    private StoreRequest.@Nullable Release sent;

    LeaseReturner(PartitionState m) {
        this.m = m;
    }

    /** To be called before the memory of the ownership goes. */
    void leaving() {
        if (m.tracker.isLog()) {
            return;
        }
        if (m.phase == OwnershipPhase.ACQUIRING) {
            unanswered = m.acquiring;
        } else {
            wanted = m.phase == OwnershipPhase.OWNED || m.phase == OwnershipPhase.LEAVING && !m.releaseSent;
        }
    }

    /** It is to be ours again, or can't be asked for: then the lease is to stay, or lapses. */
    void drop() {
        unanswered = null;
        wanted = false;
        sent = null;
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (request == sent) {
            sent = null;
        } else if (request == unanswered) {
            unanswered = null;
            if (answer instanceof StoreAnswer.Acquired acquired) {
                m.outbox.begin(acquired.epoch());
                wanted = true;
            }
        }
    }

    void flush(Commands out) {
        if (wanted) {
            wanted = false;
            sent = new StoreRequest.Release(m.outbox.next());
            out.send(sent);
        }
    }

    boolean isDone() {
        return unanswered == null && !wanted && sent == null;
    }
}
