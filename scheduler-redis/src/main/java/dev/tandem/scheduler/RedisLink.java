package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store link to one partition. It is up while it is attached to a session. When the session breaks, or a reply
 * cannot be used, all unanswered requests are void and the link detaches.
 *
 * <p>Requests come from one thread, replies on the connection's thread. The lock between them is held only briefly.
 */
final class RedisLink implements Store.Link, Runnable {

    /** An answer that waits for its turn; null until all of its pages are there. */
    private static final class Received {
        private final StoreRequest request;
        private final long sentAt;
        private @Nullable StoreAnswer answer;

        private Received(StoreRequest request, long sentAt, @Nullable StoreAnswer answer) {
            this.request = request;
            this.sentAt = sentAt;
            this.answer = answer;
        }

        private boolean mayStartTasks() {
            return RedisLink.mayStartTasks(request);
        }
    }

    private final RedisStore store;
    private final Partition partition;
    private final Store.Listener listener;
    private final RedisKeys names;
    private final byte[][] keys;
    /** Null if the queue has none. */
    private final @Nullable LinkEvents events;

    /** When each unanswered request was sent, in order, by {@link System#nanoTime}. */
    private final ArrayDeque<Long> sendTimes = new ArrayDeque<>();

    /**
     * The answers that were not delivered yet, in order. The first one lacks pages, or may start tasks and waits until the
     * primary is known to reach its replicas.
     */
    private final ArrayDeque<Received> received = new ArrayDeque<>();

    private @Nullable RedisSession session;
    private boolean awaitsReplicas;

    private boolean closed;
    private long leaseMillis = ReplicaContact.DEFAULT_LEASE_MILLIS;
    private boolean owner;

    /** The last state of room that the listener was told. Used by the store's thread only. */
    private StoreRoom toldRoom = StoreRoom.HALF;

    RedisLink(RedisStore store, RedisKeys names, Partition partition, Store.Listener listener) {
        this.store = store;
        this.partition = partition;
        this.listener = listener;
        this.names = names;
        this.events = store.events().open(this);
        this.keys = events == null ? names.of(partition) : names.withEvents(partition);
    }

    Partition partition() {
        return partition;
    }

    @Override
    public void send(StoreRequest request) {
        synchronized (this) {
            RedisSession to = session;
            if (to == null) {
                return;
            }
            if (request instanceof StoreRequest.Acquire acquire) {
                leaseMillis = acquire.leaseMillis();
            }
            if (events != null) {
                events.sending(request);
            }
            boolean keepSuccesses = store.keepsSuccesses() && to.node().room.isLeft();
            ScriptCall call = ScriptEncoder.encode(request, names, System.currentTimeMillis(), keepSuccesses, events);
            send(to, call, request, (reply, sentAt) -> replied(to, request, reply, sentAt));
            noteWritten(to, request, call);
            boolean probe = isProbe(request);
            if (probe) {
                to.confirmWrites(partition);
            }
            if (probe || mayStartTasks(request)) {
                to.keepContact(partition, leaseMillis);
            }
        }
    }

    /** Has the memory of Redis looked at in time, however fast it fills up. */
    private void noteWritten(RedisSession to, StoreRequest request, ScriptCall call) {
        boolean mayBringTasks =
                request instanceof StoreRequest.SettleAndClaim || request instanceof StoreRequest.TakeCustody;
        if (mayBringTasks && to.node().wrote(call.envelopeBytes())) {
            store.lookAtMemory(to.node());
        }
    }

    private void send(RedisSession to, ScriptCall call, StoreRequest request, ReplyReceiver receiver) {
        sendTimes.add(System.nanoTime());
        to.send(call, keys, (reply, failure) -> replied(to, request, receiver, reply, failure));
    }

    private static boolean isProbe(StoreRequest request) {
        return request instanceof StoreRequest.RenewLeases renew
                        && renew.positions().isEmpty()
                || request instanceof StoreRequest.ForwardRedeliveries;
    }

    private static boolean mayStartTasks(StoreRequest request) {
        return request instanceof StoreRequest.SettleAndClaim || request instanceof StoreRequest.ClaimDue;
    }

    /** Takes a reply. @param sentAt when its request was sent */
    private interface ReplyReceiver {
        void take(List<Object> reply, long sentAt);
    }

    private void replied(
            RedisSession from,
            StoreRequest request,
            ReplyReceiver receiver,
            @Nullable List<Object> reply,
            @Nullable Throwable failure) {
        String reason;
        synchronized (this) {
            if (session != from) {
                return;
            }
            if (reply != null && failure == null) {
                try {
                    receiver.take(reply, sendTimes.remove());
                    return;
                } catch (RuntimeException e) {
                    reason = "cannot use the reply to " + request.getClass().getSimpleName() + ": " + e;
                }
            } else {
                reason = failure == null ? "an empty reply" : RedisFailures.describe(failure);
            }
            detach();
        }
        store.failed(this, from, reason, failure);
    }

    private void replied(RedisSession from, StoreRequest request, List<Object> reply, long sentAt) {
        PagedReply paged = ScriptDecoder.paged(request, reply);
        if (paged == null) {
            StoreAnswer answer = ScriptDecoder.decode(request, reply, from.isDurable(sentAt));
            received.add(new Received(request, sentAt, answer));
        } else {
            Received incomplete = new Received(request, sentAt, null);
            received.add(incomplete);
            readOn(from, incomplete, paged);
        }
        deliver(from);
    }

    /** Asks for the next page. If there is none, the answer is complete. */
    private void readOn(RedisSession from, Received incomplete, PagedReply reply) {
        ScriptCall page = reply.nextPage();
        if (page == null) {
            incomplete.answer = reply.answer();
            return;
        }
        send(from, page, incomplete.request, (next, sentAt) -> {
            if (reply.add(next)) {
                readOn(from, incomplete, reply);
            } else {
                incomplete.answer = new StoreAnswer.Fenced();
            }
            deliver(from);
        });
    }

    /** Delivers answers in order, up to one that lacks pages or may not be used yet. */
    private void deliver(RedisSession from) {
        while (!awaitsReplicas) {
            Received next = received.peek();
            StoreAnswer answer = next == null ? null : next.answer;
            if (next == null || answer == null) {
                return;
            }
            if (next.mayStartTasks() && !from.mayStart(next.sentAt)) {
                awaitsReplicas = true;
                from.whenContacted(partition, () -> contacted(from));
                return;
            }
            received.remove();
            noteOwnership(next.request, answer);
            noteMemory(from, answer);
            if (events != null) {
                events.answered(next.request, answer);
            }
            if (recordsEnds(answer)) {
                store.taskEnds().announcer().recorded(next.request);
            }
            listener.answered(next.request, answer);
        }
    }

    private static boolean recordsEnds(StoreAnswer answer) {
        return answer instanceof StoreAnswer.SettledAndClaimed
                || answer instanceof StoreAnswer.LateSettled late && late.recorded()
                || answer instanceof StoreAnswer.CustodyTaken;
    }

    /** Looks again whether held back answers may be used. */
    private synchronized void contacted(RedisSession from) {
        if (session == from) {
            awaitsReplicas = false;
            deliver(from);
        }
    }

    private void noteOwnership(StoreRequest request, StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired) {
            owner = true;
        } else if (answer instanceof StoreAnswer.Fenced || request instanceof StoreRequest.Release) {
            owner = false;
        }
    }

    private void noteMemory(RedisSession from, StoreAnswer answer) {
        List<HandOverResult> results = List.of();
        if (answer instanceof StoreAnswer.CustodyTaken taken) {
            results = taken.results();
            from.handedOver(partition);
        } else if (answer instanceof StoreAnswer.RedeliveriesForwarded forwarded) {
            results = forwarded.results();
        }
        if (!results.isEmpty() && results.get(0) == HandOverResult.NO_ROOM) {
            store.lookAtMemory(from.node());
        }
    }

    /** Returns whether this process owned the partition as of its last answer. */
    synchronized boolean isOwner() {
        return owner && !closed;
    }

    /** Goes up: requests are sent over this session from now on. */
    void attach(RedisSession to) {
        synchronized (this) {
            if (closed || session == to) {
                return;
            }
            session = to;
        }
        listener.up();
        tellRoom(to.node().room);
    }

    /**
     * Tells the listener how much room there is for more tasks, if that is news. Called by the store's thread, and again and again
     * while Redis has none.
     *
     * @param redis how much Redis has
     */
    void tellRoom(StoreRoom redis) {
        if (events != null) {
            events.redisRoom(redis.isLeft());
        }
        StoreRoom room = events != null && events.holdStarts() ? StoreRoom.NONE : redis;
        if (room != toldRoom && !isClosed()) {
            toldRoom = room;
            listener.room(room);
        }
    }

    /** There may be too many events that wait, or not any more. */
    synchronized void roomMayHaveChanged() {
        if (session != null) {
            store.lookAtRoom(this, session.node());
        }
    }

    /**
     * Voids unanswered requests if the link is attached to this session. Does not call the listener; {@link #down} does.
     *
     * @return whether it was attached
     */
    synchronized boolean detach(RedisSession from) {
        if (session != from) {
            return false;
        }
        detach();
        return true;
    }

    private void detach() {
        session = null;
        sendTimes.clear();
        awaitsReplicas = false;
        received.clear();
    }

    void down(String reason) {
        if (!isClosed()) {
            listener.down(reason);
        }
    }

    /** Called when a message came on the partition's wake channel. */
    @Override
    public void run() {
        if (!isClosed()) {
            if (events != null) {
                events.woken();
            }
            listener.woken();
        }
    }

    /** Returns whether a request that was sent before this {@link System#nanoTime} is unanswered. */
    synchronized boolean waitsSince(long nanoTime) {
        Long oldest = sendTimes.peek();
        return oldest != null && oldest - nanoTime < 0;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            detach();
        }
        if (events != null) {
            events.closed();
        }
        store.closed(this);
    }
}
