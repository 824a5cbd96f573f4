package dev.tandem.verify.worker;

import dev.tandem.task.Partition;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A store that is watched: which epochs its process is given, and under which of them each token was asked for. A handler
 * sees its token only. Thread-safe, its links as those of the store.
 */
final class ObservedStore implements Store {

    /**
     * What a token stands for.
     *
     * @param askedAt by the clock of events, before the request was sent
     */
    record ClaimOrigin(int partition, long epoch, long askedAt) {
        /** Not known: it was passed on by another claim, which needs no request, or two partitions used it at once. */
        static final ClaimOrigin UNKNOWN = new ClaimOrigin(-1, 0, 0);
    }

    /** More than can be on their way. */
    private static final int MOST = 100_000;

    private final Store store;
    private final String process;
    private final EventLog log;
    private final Map<Long, ClaimOrigin> claims = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ClaimOrigin> eldest) {
            return size() > MOST;
        }
    };

    ObservedStore(Store store, String process, EventLog log) {
        this.store = store;
        this.process = process;
        this.log = log;
    }

    /** Whose claim it is, once. */
    synchronized ClaimOrigin take(long token) {
        ClaimOrigin claim = claims.remove(token);
        return claim == null ? ClaimOrigin.UNKNOWN : claim;
    }

    private static int number(Partition partition) {
        return Integer.parseInt(partition.name());
    }

    private synchronized void asked(RequestHeader header, long token, long at) {
        if (token != 0) {
            claims.merge(
                    token,
                    new ClaimOrigin(number(header.partition()), header.epoch(), at),
                    (one, other) -> one.partition() == other.partition() ? other : ClaimOrigin.UNKNOWN);
        }
    }

    private void sent(StoreRequest request, Map<StoreRequest, Long> dues) {
        long now = System.nanoTime();
        if (request instanceof StoreRequest.SettleAndClaim step) {
            step.claims().forEach(claim -> asked(step.header(), claim.token(), now));
            step.settles().forEach(settle -> asked(step.header(), settle.nextToken(), now));
        } else if (request instanceof StoreRequest.ClaimDue) {
            dues.put(request, now);
        }
    }

    private void answered(StoreRequest request, StoreAnswer answer, Map<StoreRequest, Long> dues) {
        if (request instanceof StoreRequest.Acquire acquire && answer instanceof StoreAnswer.Acquired acquired) {
            log.write(new Event.Acquired(System.nanoTime(), process, number(acquire.partition()), acquired.epoch()));
        } else if (request instanceof StoreRequest.ClaimDue due && answer instanceof StoreAnswer.DueTasks tasks) {
            long at = dues.getOrDefault(due, 0L);
            tasks.claimed().forEach(task -> asked(due.header(), task.token(), at));
        }
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        // By identity, and few: one is asked for at a time.
        Map<StoreRequest, Long> dues = Collections.synchronizedMap(new IdentityHashMap<>());
        Link link = store.link(partition, new Listener() {
            @Override
            public void answered(StoreRequest request, StoreAnswer answer) {
                ObservedStore.this.answered(request, answer, dues);
                dues.remove(request);
                listener.answered(request, answer);
            }

            @Override
            public void down(String why) {
                dues.clear();
                listener.down(why);
            }

            @Override
            public void up() {
                listener.up();
            }

            @Override
            public void woken() {
                listener.woken();
            }
        });
        return new Link() {
            @Override
            public void send(StoreRequest request) {
                sent(request, dues);
                link.send(request);
            }

            @Override
            public void close() {
                link.close();
            }
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
