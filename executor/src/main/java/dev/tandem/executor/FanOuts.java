package dev.tandem.executor;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCancellation;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.Store;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fan-outs of a process: those that its tasks begin, and those that its tasks belong to. All queues of the process share it.
 * Thread-safe.
 */
public final class FanOuts implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOuts.class);

    /** The time for which a request is repeated whose answer somebody waits for. */
    static final long ANSWER_MILLIS = 10_000;

    /** The time for which the end of a subtask is repeated. Its outcome is not recorded before, so it is not given up. */
    private static final long ALWAYS = Long.MAX_VALUE / 4;

    private static final int MAX_STOPPED = 10_000;

    private final FanOutPublisher publisher;
    private final FanOutPolicy policy;
    private final FanOutMetrics metrics;
    private final FanOutCalls calls;
    private final BucketSender<FanOutRequest, FanOutAnswer> sender;
    private final FanOutFinisher finisher;
    private final ExecutorClock clock;
    private final AtomicLong asked = new AtomicLong();
    /** Exists once a subtask has run here. Guarded by this. */
    private @Nullable FanOutCancels cancels;

    /** The fan-outs from which ends of subtasks follow, by the runs of those. */
    private final Map<Object, Nested> nested = new ConcurrentHashMap<>();
    /** By run: what is to be said of streams that will not go on, before the outcome is recorded. */
    private final Map<Object, List<FanOutRequest.Abandon>> givenUp = new ConcurrentHashMap<>();
    /** The fan-outs of which no further subtask is to run, as far as is known here. Guarded by itself. */
    private final Map<String, Stop> stopped = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Stop> eldest) {
            return size() > MAX_STOPPED;
        }
    };

    /** @param publisher is not closed here */
    public FanOuts(Store store, FanOutPublisher publisher, FanOutPolicy policy, FanOutMetrics metrics) {
        this(store, publisher, policy, metrics, ExecutorClock.system());
    }

    FanOuts(Store store, FanOutPublisher publisher, FanOutPolicy policy, FanOutMetrics metrics, ExecutorClock clock) {
        this(store, publisher, policy, metrics, clock, FanOutFinisher.thread(), FanOutCalls.Later.SYSTEM);
    }

    /** @param later looks after what was told, and repeats calls that fail */
    FanOuts(
            Store store,
            FanOutPublisher publisher,
            FanOutPolicy policy,
            FanOutMetrics metrics,
            ExecutorClock clock,
            Executor thread,
            FanOutCalls.Later later) {
        this.publisher = publisher;
        this.policy = policy;
        this.metrics = metrics;
        this.clock = clock;
        this.calls = new FanOutCalls(store, policy, clock, later, this::lookAfter, this::finish);
        this.sender = new BucketSender<>(
                new BucketSender.Buckets<>(
                        "This process",
                        "fan-outs",
                        FanOutBuckets.COUNT,
                        Store.MAX_FAN_OUT_REQUESTS,
                        request -> FanOutBuckets.of(request.id()),
                        calls),
                clock,
                action -> later.after(BucketSender.REPEAT_MILLIS, action));
        this.finisher = new FanOutFinisher(this, publisher, metrics, thread);
    }

    /**
     * Returns fan-outs whose final tasks are submitted by the threads that hear of the last ends, so that a test knows when all is
     * done. The store must answer at once, and the publisher must not block.
     */
    public static FanOuts inline(
            Store store, FanOutPublisher publisher, FanOutPolicy policy, FanOutMetrics metrics, ExecutorClock clock) {
        return new FanOuts(store, publisher, policy, metrics, clock, Runnable::run, FanOutCalls.Later.SYSTEM);
    }

    FanOutPublisher publisher() {
        return publisher;
    }

    FanOutMetrics metrics() {
        return metrics;
    }

    FanOutPolicy policy() {
        return policy;
    }

    long wallMillis() {
        return clock.wallMillis();
    }

    /** Sends a request. @param then receives the answer on any thread, or null if there was none; it must not block */
    void ask(FanOutRequest request, Consumer<@Nullable FanOutAnswer> then) {
        send(request, ANSWER_MILLIS, then);
    }

    /** Sends a request that is repeated until it is answered. */
    void tell(FanOutRequest request, Consumer<@Nullable FanOutAnswer> then) {
        send(request, ALWAYS, then);
    }

    /**
     * Cancels a fan-out and all within it.
     *
     * @param then told on any thread whether all have heard of it; it must not block
     */
    public void cancel(String id, String why, Consumer<Boolean> then) {
        FanOutCancellation cancellation = new FanOutCancellation(request -> {
            CompletableFuture<FanOutAnswer> told = new CompletableFuture<>();
            tell(request, answer -> {
                if (answer == null) {
                    told.completeExceptionally(new IllegalStateException("Redis refuses " + request));
                } else {
                    told.complete(answer);
                }
            });
            return told;
        });
        cancellation.cancel(id, why).whenComplete((answer, failure) -> {
            if (failure != null) {
                log.warn("Fan-out {} may not be cancelled: ./tandem fan-outs cancel does it", id, failure);
            }
            then.accept(failure == null);
        });
    }

    /** Sends a request. @return ends with the answer, or with null if there was none */
    public CompletionStage<@Nullable FanOutAnswer> ask(FanOutRequest request) {
        CompletableFuture<@Nullable FanOutAnswer> answered = new CompletableFuture<>();
        ask(request, answered::complete);
        return answered;
    }

    /** Returns whether no request waits for its answer. */
    public boolean isIdle() {
        return sender.isIdle();
    }

    /** Returns the number of all requests. */
    public long asked() {
        return asked.get();
    }

    /** Sends a request for the sake of what was told before. */
    private void lookAfter(FanOutRequest request, Runnable then) {
        sender.add(request, ANSWER_MILLIS, answer -> then.run());
        sender.send();
    }

    private void send(FanOutRequest request, long maxMillis, Consumer<@Nullable FanOutAnswer> then) {
        asked.incrementAndGet();
        sender.add(request, maxMillis, answer -> {
            if (answer != null) {
                answered(request.id(), answer);
            }
            then.accept(answer);
        });
        sender.send();
    }

    private void answered(String id, FanOutAnswer answer) {
        if (answer.stop() != Stop.NO) {
            synchronized (stopped) {
                stopped.put(id, answer.stop());
            }
        }
        if (answer.code() == FanOutAnswer.Code.COMPLETE) {
            finish(id);
        }
    }

    /** Returns whether subtasks of a fan-out that have not begun are not to run, as far as is known here. */
    boolean isStopped(String id) {
        synchronized (stopped) {
            return stopped.containsKey(id);
        }
    }

    /** Does what follows the end of all subtasks, unless somebody else does: submits the final task, tells the fan-out around it. */
    public void finish(String id) {
        finisher.finish(id);
    }

    /** Returns whether this process can submit what follows the end of a fan-out. */
    public boolean reaches(FanOutRecord record) {
        String queue = record.plan().finalQueue();
        return queue.isEmpty() || publisher.reaches(queue);
    }

    /** The fan-out from which the end of a subtask follows: its own, or that of the other copy of it. */
    sealed interface Nested {

        /** The subtask has fanned out itself, and ends with that fan-out and its own run. */
        record Own(String id) implements Nested {}

        /** The other copy has fanned out. */
        record OfCopy() implements Nested {}
    }

    /** Notes from what the end of a subtask follows that came to its fan-out in this run. */
    void noteNested(Object run, Nested from) {
        nested.put(run, from);
    }

    /** Returns from what the end of a subtask follows, and forgets it; null if it did not come to a fan-out in this run. */
    @Nullable
    Nested takeNested(Object run) {
        return nested.isEmpty() ? null : nested.remove(run);
    }

    /** Notes that streams of this run will not go on, because its task has ended. */
    void noteGivenUp(Object run, List<FanOutRequest.Abandon> streams) {
        givenUp.put(run, streams);
    }

    boolean hasGivenUp(Object run) {
        return !givenUp.isEmpty() && givenUp.containsKey(run);
    }

    /** Returns what is to be said of the streams of this run, and forgets it. */
    List<FanOutRequest.Abandon> takeGivenUp(Object run) {
        List<FanOutRequest.Abandon> its = givenUp.isEmpty() ? null : givenUp.remove(run);
        return its == null ? List.of() : its;
    }

    /** Interrupts subtasks among these handlers if their fan-outs are cancelled. */
    synchronized void watch(RunningHandlers handlers) {
        FanOutCancels its = cancels;
        if (its == null) {
            its = new FanOutCancels(this);
            its.start();
            cancels = its;
        }
        its.add(handlers);
    }

    synchronized void unwatch(RunningHandlers handlers) {
        if (cancels != null) {
            cancels.remove(handlers);
        }
    }

    /** Returns how many requests were answered that the store may still forget. */
    int mayBeForgotten() {
        return calls.kept();
    }

    /**
     * Ends what submits final tasks. Others go on with it. What was told within the last horizon is not told again any more, if the
     * store forgets it.
     */
    @Override
    public void close() {
        calls.close();
        finisher.close();
        FanOutCancels its;
        synchronized (this) {
            its = cancels;
        }
        if (its != null) {
            its.close();
        }
    }
}
