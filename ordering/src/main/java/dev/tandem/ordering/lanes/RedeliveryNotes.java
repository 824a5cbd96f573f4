package dev.tandem.ordering.lanes;

import dev.tandem.task.store.SettledMark;

/** Facts about a message of a message queue (RabbitMQ) that a log's record does not need. */
public final class RedeliveryNotes {

    private boolean redelivered;
    private boolean resolved;
    private boolean matched;
    private boolean maybeTwin;
    private boolean adoptFirst;
    private boolean awaitsRedelivery;
    private SettledMark mark = SettledMark.NONE;

    /** Whether the broker says that it delivered the message before. */
    public boolean isRedelivered() {
        return redelivered;
    }

    public void redelivered(boolean before) {
        redelivered = before;
    }

    /** Whether all partitions of an unordered queue were asked about the message, and none knew it. */
    public boolean isResolved() {
        return resolved;
    }

    public void resolved() {
        resolved = true;
    }

    /** Whether the entry's position is that of an earlier delivery. */
    public boolean isMatched() {
        return matched;
    }

    public void matched(boolean toEarlier) {
        matched = toEarlier;
    }

    /** Whether the message was taken for a running one, and may also be a second message with the same content. */
    public boolean isMaybeTwin() {
        return maybeTwin;
    }

    public void maybeTwin() {
        maybeTwin = true;
    }

    /** Whether the store must be asked what became of the message before it may run. */
    public boolean isAdoptFirst() {
        return adoptFirst;
    }

    public void adoptFirst(boolean storeFirst) {
        adoptFirst = storeFirst;
    }

    /** Whether the channel that delivered the message is gone, so that the broker is certain to deliver it again. */
    public boolean awaitsRedelivery() {
        return awaitsRedelivery;
    }

    public void awaitsRedelivery(boolean certain) {
        awaitsRedelivery = certain;
    }

    /** The mark that the store sets, or has set, when the message is settled. {@link SettledMark#NONE} if none yet. */
    public SettledMark mark() {
        return mark;
    }

    public void mark(SettledMark inStore) {
        mark = inStore;
    }
}
