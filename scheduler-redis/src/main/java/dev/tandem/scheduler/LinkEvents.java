package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The events of one link's outcomes. Thread-safe. */
final class LinkEvents {

    private final EventFeed feed;
    private final RedisLink link;
    private final EventPolicy policy;
    private final String policyText;
    private final String policyWithoutRoom;
    /** The bytes that wait in the store, roughly: as it said last, and what was sent since. */
    private final AtomicLong bytes = new AtomicLong();

    private volatile String executor = "";
    private volatile boolean full;
    private volatile boolean redisHasRoom = true;
    private final AtomicBoolean trimming = new AtomicBoolean();

    LinkEvents(EventFeed feed, RedisLink link, EventPolicy policy) {
        this.feed = feed;
        this.link = link;
        this.policy = policy;
        this.policyText = policy.text(true);
        this.policyWithoutRoom = policy.text(false);
    }

    Partition partition() {
        return link.partition();
    }

    boolean isOwner() {
        return link.isOwner();
    }

    /** Returns whether no fresh tasks may start, because too many events wait. */
    boolean holdStarts() {
        return full;
    }

    void sending(StoreRequest request) {
        if (request instanceof StoreRequest.Acquire acquire) {
            executor = acquire.executor();
        }
    }

    /** Returns the events of outcomes that are about to be sent; empty if there are none. */
    byte[] page(List<Settle> settles) {
        byte[] page = EventPage.of(partition().queue(), settles, policy, executor);
        if (page.length > 0) {
            bytes.addAndGet(EventFeed.HEAD_BYTES + page.length);
            judge();
        }
        return page;
    }

    /** Returns what scripts keep to. */
    String policy() {
        return redisHasRoom ? policyText : policyWithoutRoom;
    }

    /**
     * Notes whether Redis has room for more tasks. While it has not, the oldest events go, so that they do not take the room of tasks.
     * To be called again and again then.
     */
    void redisRoom(boolean room) {
        redisHasRoom = room;
        if (!room && isOwner() && bytes.get() > policy.limit(false) && trimming.compareAndSet(false, true)) {
            trim();
        }
    }

    /** Drops what is too much, some of it with each request. A failure ends it until the next call. */
    private void trim() {
        long limit = policy.limit(redisHasRoom);
        feed.trim(partition(), limit).whenComplete((left, failure) -> {
            if (failure == null) {
                counted(left);
            }
            if (failure == null && left > limit && isOwner()) {
                trim();
            } else {
                trimming.set(false);
            }
        });
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired) {
            feed.owned(this);
        } else if (request instanceof StoreRequest.TakeCustody
                // Nobody else may own the partition, and this process publishes before it stops.
                || request instanceof StoreRequest.SettleLate
                || request instanceof StoreRequest.SettleAndClaim step
                        && !step.settles().isEmpty()) {
            feed.tell(partition());
        }
    }

    /** Hears that a message came on the wake channel: somebody else may have recorded events. */
    void woken() {
        if (isOwner()) {
            feed.tell(partition());
        }
    }

    void counted(long inStore) {
        bytes.set(inStore);
        judge();
    }

    private void judge() {
        long waiting = bytes.get();
        boolean now = policy.waits() && waiting >= (full ? policy.maxBytes() / 2 : policy.maxBytes());
        if (now != full) {
            full = now;
            link.roomMayHaveChanged();
        }
    }

    void closed() {
        feed.closed(this);
    }
}
