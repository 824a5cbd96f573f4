package dev.tandem.ordering.redelivery;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;
import org.jspecify.annotations.Nullable;

/** A redelivered message that is held back until it is known what it was. */
final class PendingRedelivery {

    private final RedeliveryResolver.Receiver receiver;
    private final TaskEntry entry;
    private final long since;
    private @Nullable Position position;
    private @Nullable PartitionPeer peer;

    PendingRedelivery(RedeliveryResolver.Receiver receiver, TaskEntry entry, long since) {
        this.receiver = receiver;
        this.entry = entry;
        this.since = since;
    }

    /** The partition that the message was delivered to. */
    RedeliveryResolver.Receiver receiver() {
        return receiver;
    }

    TaskEntry entry() {
        return entry;
    }

    long since() {
        return since;
    }

    /** The position of the earlier delivery. Null while it is not known, or where only a page knows the message. */
    @Nullable
    Position position() {
        return position;
    }

    /** The partition that had the earlier delivery, null while it is not known. */
    @Nullable
    PartitionPeer peer() {
        return peer;
    }

    void found(PartitionPeer where, Position earlier) {
        peer = where;
        position = earlier;
        where.forwardLater(this);
    }

    void forget() {
        peer = null;
        position = null;
    }

    String identity() {
        return Identities.of(entry.position());
    }

    boolean isNamed() {
        return Identities.isNamed(entry.position());
    }
}
