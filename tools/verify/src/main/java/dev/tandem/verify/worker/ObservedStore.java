package dev.tandem.verify.worker;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.task.Partition;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DependencyStore;
import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.Registration;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import dev.tandem.verify.record.Event;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that records which epochs its process is given, and remembers under which of them each token was requested. A
 * handler sees only its token. Thread-safe; its links are as thread-safe as those of the store.
 */
final class ObservedStore implements Store {

    /**
     * Where a token comes from.
     *
     * @param requestedAt when the claim was requested, by the clock of events
     */
    record ClaimOrigin(int partition, long epoch, long requestedAt) {
        /** The origin of a claim made by relay, which needs no request, or of a token that two partitions used. */
        static final ClaimOrigin UNKNOWN = new ClaimOrigin(-1, 0, 0);
    }

    /** More than there can be unanswered claims. */
    private static final int MAX_ORIGINS = 100_000;

    private final Store store;
    private final String process;
    private final JsonLinesLog<Event> log;
    private final Map<Long, ClaimOrigin> origins = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ClaimOrigin> eldest) {
            return size() > MAX_ORIGINS;
        }
    };

    ObservedStore(Store store, String process, JsonLinesLog<Event> log) {
        this.store = store;
        this.process = process;
        this.log = log;
    }

    /** Returns the origin of a token and forgets it. */
    synchronized ClaimOrigin takeOrigin(long token) {
        ClaimOrigin origin = origins.remove(token);
        return origin == null ? ClaimOrigin.UNKNOWN : origin;
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        // By identity, since equal requests may be sent again. Few entries: one is unanswered at a time.
        Map<StoreRequest, Long> claimDueTimes = Collections.synchronizedMap(new IdentityHashMap<>());
        Link link = store.link(partition, observed(listener, claimDueTimes));
        return new Link() {
            @Override
            public void send(StoreRequest request) {
                observeRequest(request, claimDueTimes);
                link.send(request);
            }

            @Override
            public void close() {
                link.close();
            }
        };
    }

    @Override
    public void findReachablePart(Runnable reached) {
        store.findReachablePart(reached);
    }

    @Override
    public void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        store.findHeld(queue, except, found);
    }

    @Override
    public CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        return store.dedup(queue, bucket, requests);
    }

    @Override
    public LimitStore limits() {
        return store.limits();
    }

    @Override
    public CompletionStage<StoreAnswer> ask(RunRequest request) {
        return store.ask(request);
    }

    @Override
    public CompletionStage<Optional<PartitionHistory>> partitionHistory(String queue) {
        return store.partitionHistory(queue);
    }

    @Override
    public CompletionStage<Boolean> changePartitionHistory(
            String queue, @Nullable PartitionHistory expected, PartitionHistory next, long notBeforeMillis) {
        return store.changePartitionHistory(queue, expected, next, notBeforeMillis);
    }

    @Override
    public CompletionStage<LookBack.Answer> lookBack(Partition partition, LookBack question) {
        return store.lookBack(partition, question);
    }

    @Override
    public DependencyStore dependencies() {
        return store.dependencies();
    }

    @Override
    public CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
        return store.fanOut(bucket, caller, requests);
    }

    @Override
    public Registration register(Registration.Registrant executor) {
        return store.register(executor);
    }

    private Listener observed(Listener listener, Map<StoreRequest, Long> claimDueTimes) {
        return new Listener() {
            @Override
            public void answered(StoreRequest request, StoreAnswer answer) {
                observeAnswer(request, answer, claimDueTimes);
                claimDueTimes.remove(request);
                listener.answered(request, answer);
            }

            @Override
            public void down(String why) {
                claimDueTimes.clear();
                listener.down(why);
            }

            @Override
            public void up() {
                listener.up();
            }

            @Override
            public void room(StoreRoom room) {
                listener.room(room);
            }

            @Override
            public void woken() {
                listener.woken();
            }
        };
    }

    private void observeRequest(StoreRequest request, Map<StoreRequest, Long> claimDueTimes) {
        long now = System.nanoTime();
        if (request instanceof StoreRequest.SettleAndClaim step) {
            step.claims().forEach(claim -> remember(step.header(), claim.token(), now));
            step.settles().forEach(settle -> remember(step.header(), settle.nextToken(), now));
        } else if (request instanceof StoreRequest.ClaimDue) {
            claimDueTimes.put(request, now);
        }
    }

    private void observeAnswer(StoreRequest request, StoreAnswer answer, Map<StoreRequest, Long> claimDueTimes) {
        if (request instanceof StoreRequest.Acquire acquire && answer instanceof StoreAnswer.Acquired acquired) {
            log.write(new Event.Acquired(System.nanoTime(), process, number(acquire.partition()), acquired.epoch()));
        } else if (request instanceof StoreRequest.ClaimDue due && answer instanceof StoreAnswer.DueTasks tasks) {
            long requestedAt = claimDueTimes.getOrDefault(due, 0L);
            tasks.claimed().forEach(task -> remember(due.header(), task.token(), requestedAt));
        }
    }

    @Override
    public void close() {
        store.close();
    }

    private static int number(Partition partition) {
        return Integer.parseInt(partition.name());
    }

    private synchronized void remember(RequestHeader header, long token, long requestedAt) {
        if (token != 0) {
            origins.merge(
                    token,
                    new ClaimOrigin(number(header.partition()), header.epoch(), requestedAt),
                    (one, other) -> one.partition() == other.partition() ? other : ClaimOrigin.UNKNOWN);
        }
    }
}
