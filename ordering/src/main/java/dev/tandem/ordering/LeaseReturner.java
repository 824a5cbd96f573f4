package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import org.jspecify.annotations.Nullable;

/**
 * Returns the lease of a partition that was left in a hurry: its channel broke, or it was not wanted any more while it was
 * being acquired. So nobody has to wait until the lease expires. A log needs none of this: its next owner has a higher
 * generation.
 */
final class LeaseReturner {

    private final PartitionState state;
    /** An acquire that was in flight when the partition was left. It may still get the lease. */
    private StoreRequest.@Nullable Acquire unanswered;

    private boolean wanted;
    private StoreRequest.@Nullable Release sent;

    LeaseReturner(PartitionState state) {
        this.state = state;
    }

    /** Notes what lease there is to return. To be called before the ownership is forgotten. */
    void leaving() {
        if (!state.broker.isLeased()) {
            return;
        }
        if (state.ownership.isAcquiring()) {
            unanswered = state.ownership.acquiring();
        } else {
            wanted = state.ownership.isOwned() || state.ownership.isLeaving() && !state.ownership.isReleaseSent();
        }
    }

    /**
     * Forgets the lease to return: the partition is assigned again, or the lease expires because the store cannot be reached.
     */
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
                state.requests.begin(acquired.epoch());
                wanted = true;
            }
        }
    }

    void flush(Commands out) {
        if (wanted) {
            wanted = false;
            sent = new StoreRequest.Release(state.requests.next());
            out.send(sent);
        }
    }

    boolean isDone() {
        return unanswered == null && !wanted && sent == null;
    }
}
