package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreRequest;
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

    private record Answered(StoreRequest request, StoreAnswer answer) {}

    /** An answer that waits until the pages of an earlier one are read. @param paged null if it has no pages */
    private record HeldBack(
            StoreRequest request,
            @Nullable StoreAnswer answer,
            @Nullable PagedReply paged) {}

    private final RedisStore store;
    private final Partition partition;
    private final Store.Listener listener;
    private final RedisKeys names;
    private final byte[][] keys;

    /** When each unanswered request was sent, in order, by {@link System#nanoTime}. */
    private final ArrayDeque<Long> sendTimes = new ArrayDeque<>();

    private final ArrayDeque<HeldBack> heldBack = new ArrayDeque<>();

    private @Nullable RedisSession session;
    /** Whether pages of an acquire are missing. Answers to what was sent after it are held back. */
    private boolean isReadingPages;

    private boolean closed;
    private long leaseMillis = DurabilityBarrier.DEFAULT_LEASE_MILLIS;
    private boolean owner;

    /** The last state of room that the listener was told. Used by the store's thread only. */
    private boolean toldRoom = true;

    RedisLink(RedisStore store, RedisKeys names, Partition partition, Store.Listener listener) {
        this.store = store;
        this.partition = partition;
        this.listener = listener;
        this.names = names;
        this.keys = names.of(partition);
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
            ScriptCall call = ScriptEncoder.encode(request, names, System.currentTimeMillis());
            send(to, call, request, (reply, durable) -> replied(to, request, reply, durable));
            noteWritten(to, request, call);
            if (isProbe(request)) {
                to.confirmWrites(partition, leaseMillis);
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

    /** Takes a reply. @param durable what it says about replicas */
    private interface ReplyReceiver {
        void take(List<Object> reply, boolean durable);
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
                    receiver.take(reply, from.isDurable(sendTimes.remove()));
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

    private void replied(RedisSession from, StoreRequest request, List<Object> reply, boolean durable) {
        PagedReply paged = ScriptDecoder.paged(request, reply);
        StoreAnswer answer = paged == null ? ScriptDecoder.decode(request, reply, durable) : null;
        heldBack.add(new HeldBack(request, answer, paged));
        deliverHeldBack(from);
    }

    /** Delivers answers in the order of their requests, up to one whose pages must be read first. */
    private void deliverHeldBack(RedisSession from) {
        while (!isReadingPages && !heldBack.isEmpty()) {
            HeldBack next = heldBack.remove();
            if (next.paged() != null) {
                readOn(from, next.request(), next.paged());
            } else if (next.answer() != null) {
                deliver(from, new Answered(next.request(), next.answer()));
            }
        }
    }

    /** Asks for the next page. If there is none, the answer is complete. */
    private void readOn(RedisSession from, StoreRequest request, PagedReply reply) {
        ScriptCall page = reply.nextPage();
        isReadingPages = page != null;
        if (page == null) {
            deliver(from, new Answered(request, reply.answer()));
            return;
        }
        send(from, page, request, (next, durable) -> {
            if (reply.add(next)) {
                readOn(from, request, reply);
            } else {
                isReadingPages = false;
                deliver(from, new Answered(request, new StoreAnswer.Fenced()));
            }
            deliverHeldBack(from);
        });
    }

    private void deliver(RedisSession from, Answered answered) {
        noteOwnership(answered.request(), answered.answer());
        noteMemory(from, answered.answer());
        listener.answered(answered.request(), answered.answer());
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
        tellRoom(to.node().hasRoom);
    }

    /** Tells the listener whether Redis has room for more tasks, if that is news. Called by the store's thread. */
    void tellRoom(boolean left) {
        if (left != toldRoom && !isClosed()) {
            toldRoom = left;
            listener.room(left);
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
        isReadingPages = false;
        heldBack.clear();
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
        store.closed(this);
    }
}
