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
 * The way to one partition. It is up while it is attached to a session, the life of one connection; whatever breaks the
 * session, or goes wrong with one answer, voids all that is unanswered.
 *
 * <p>Requests come from one thread and answers on the connection's; the lock between them is held only to note things.
 */
final class RedisLink implements Store.Link, Runnable {

    private final RedisStore store;
    private final Partition partition;
    private final Store.Listener listener;
    private final byte[][] keys;

    /** Sent and not answered yet, in order: the times by {@link System#nanoTime}. */
    private final ArrayDeque<Long> unanswered = new ArrayDeque<>();

    private @Nullable Session session;
    private boolean closed;
    private String executor = "";
    private boolean owner;

    RedisLink(RedisStore store, Partition partition, Store.Listener listener) {
        this.store = store;
        this.partition = partition;
        this.listener = listener;
        this.keys = Keys.of(partition);
    }

    Partition partition() {
        return partition;
    }

    byte[][] keys() {
        return keys;
    }

    @Override
    public void send(StoreRequest request) {
        synchronized (this) {
            Session to = session;
            if (to == null) {
                return;
            }
            if (request instanceof StoreRequest.Acquire acquire) {
                executor = acquire.executor();
            }
            Requests.Call call = Requests.encode(request, executor, System.currentTimeMillis());
            unanswered.add(System.nanoTime());
            to.send(call, keys, (reply, failure) -> answered(to, request, reply, failure));
            boolean probe = request instanceof StoreRequest.RenewLeases renew
                    && renew.positions().isEmpty();
            if (probe || request instanceof StoreRequest.ForwardRedeliveries) {
                to.probed(partition);
            }
        }
    }

    private void answered(
            Session from, StoreRequest request, @Nullable List<Object> reply, @Nullable Throwable failure) {
        String reason;
        synchronized (this) {
            if (session != from) {
                return;
            }
            if (reply != null && failure == null) {
                try {
                    long sentAt = unanswered.remove();
                    StoreAnswer answer = Answers.decode(request, reply, from.durable(sentAt));
                    noteOwnership(request, answer);
                    noteRoom(from, answer);
                    listener.answered(request, answer);
                    return;
                } catch (RuntimeException e) {
                    reason = "the answer to " + request.getClass().getSimpleName() + " can't be read: " + e;
                }
            } else {
                reason = failure == null ? "an empty answer" : Failures.why(failure);
            }
            detach();
        }
        store.failed(this, from, reason, failure);
    }

    private void noteOwnership(StoreRequest request, StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired) {
            owner = true;
        } else if (answer instanceof StoreAnswer.Fenced || request instanceof StoreRequest.Release) {
            owner = false;
        }
    }

    private void noteRoom(Session from, StoreAnswer answer) {
        List<HandOverResult> codes = answer instanceof StoreAnswer.CustodyTaken handed
                ? handed.codes()
                : answer instanceof StoreAnswer.RedeliveriesForwarded redelivered ? redelivered.codes() : List.of();
        if (!codes.isEmpty()) {
            store.room(from.node(), codes.get(0) != HandOverResult.NO_ROOM);
        }
    }

    /** Whether this process owned the partition at its last answer. */
    synchronized boolean isOwner() {
        return owner && !closed;
    }

    /** Up: requests go to this session from now on. */
    void attach(Session to) {
        synchronized (this) {
            if (closed || session == to) {
                return;
            }
            session = to;
        }
        listener.up();
    }

    /** Voids what is unanswered, if it is attached to this session; the listener is told by {@link #down}. */
    synchronized boolean detach(Session from) {
        if (session != from) {
            return false;
        }
        detach();
        return true;
    }

    private void detach() {
        session = null;
        unanswered.clear();
    }

    void down(String reason) {
        if (!isClosed()) {
            listener.down(reason);
        }
    }

    /** Something was told on its channel. */
    @Override
    public void run() {
        if (!isClosed()) {
            listener.woken();
        }
    }

    /** Whether a request that was sent before this {@link System#nanoTime} has no answer. */
    synchronized boolean waitsSince(long nanoTime) {
        Long oldest = unanswered.peek();
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
