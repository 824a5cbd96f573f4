package dev.tandem.executor;

import dev.tandem.executor.ToldRequests.Sent;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.WrongTypeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the buckets of fan-outs for a process, and tells them again what their store has forgotten. The calls to a bucket are
 * numbered, and the store keeps the last number beside what it was told. So the next call finds out what is forgotten, and
 * while nothing is, nothing is told twice. Thread-safe; one call to a bucket is under way at a time.
 */
final class FanOutCalls implements BucketSender.Call<FanOutRequest, FanOutAnswer>, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOutCalls.class);

    /** The horizons within which a fan-out that completes when it is told again may turn out to have been finished before. */
    private static final int FINISH_HORIZONS = 2;

    /** Runs an action after so many milliseconds. */
    @FunctionalInterface
    interface Later {

        /** By the clock of this machine, on a thread of its own. */
        Later SYSTEM = (millis, action) ->
                CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(action);

        void after(long millis, Runnable action);
    }

    private final Store store;
    private final long horizonMillis;
    private final ExecutorClock clock;
    private final Later later;
    private final BiConsumer<FanOutRequest, Runnable> ask;
    private final Consumer<String> complete;
    private final String name = UUID.randomUUID().toString().substring(0, 18);
    private final List<ToldRequests> buckets = new ArrayList<>();
    private volatile boolean closed;

    /**
     * @param ask sends a request behind those that wait, and runs the action when it is answered or given up
     * @param complete receives the ids of fan-outs that are complete because of what was told again
     */
    FanOutCalls(
            Store store,
            FanOutPolicy policy,
            ExecutorClock clock,
            Later later,
            BiConsumer<FanOutRequest, Runnable> ask,
            Consumer<String> complete) {
        this.store = store;
        this.horizonMillis = policy.horizonMillis();
        this.clock = clock;
        this.later = later;
        this.ask = ask;
        this.complete = complete;
        for (int i = 0; i < FanOutBuckets.COUNT; i++) {
            buckets.add(new ToldRequests(horizonMillis, policy.keepMillis()));
        }
    }

    @Override
    public CompletionStage<List<FanOutAnswer>> send(int bucket, List<FanOutRequest> requests) {
        if (horizonMillis == 0) {
            return store.fanOut(bucket, requests);
        }
        ToldRequests told = buckets.get(bucket);
        long full = told.fullFor(clock.millis());
        if (full > 0) {
            return room(bucket, full).thenCompose(proven -> send(bucket, requests));
        }
        List<Sent> first = ToldRequests.first(requests);
        return tellAgain(bucket).thenCompose(done -> call(bucket, first)).thenCompose(reply -> {
            if (reply instanceof FanOutReply.Applied applied) {
                return CompletableFuture.completedFuture(applied.answers());
            }
            forgotten(bucket, (FanOutReply.Gap) reply);
            return send(bucket, requests);
        });
    }

    /** Makes room by a call that proves what was told a horizon ago. */
    private CompletionStage<?> room(int bucket, long millis) {
        CompletableFuture<Void> waited = new CompletableFuture<>();
        later.after(millis, () -> waited.complete(null));
        return waited.thenCompose(none -> {
            FanOutRequest question = buckets.get(bucket).look(clock.millis());
            return question == null
                    ? CompletableFuture.completedFuture(null)
                    : call(bucket, ToldRequests.first(List.of(question))).thenAccept(reply -> {
                        if (reply instanceof FanOutReply.Gap gap) {
                            forgotten(bucket, gap);
                        }
                    });
        });
    }

    private CompletionStage<FanOutReply> call(int bucket, List<Sent> sent) {
        ToldRequests told = buckets.get(bucket);
        FanOutCaller caller = told.next(name);
        long sentAt = clock.millis();
        List<FanOutRequest> requests = sent.stream().map(Sent::request).toList();
        return store.fanOut(bucket, caller, requests).thenApply(reply -> {
            if (reply instanceof FanOutReply.Applied applied) {
                told.applied(caller.number(), sentAt, clock.millis(), sent, applied.answers());
                reportGivenUp(told);
                lookLater(bucket);
            }
            return reply;
        });
    }

    private void reportGivenUp(ToldRequests told) {
        long count = told.reportGivenUp(clock.millis());
        if (count > 0) {
            log.warn(
                    "Redis does not know the fan-outs of more than {} requests, so {} of them are given up. Fan-outs may wait"
                            + " for subtasks that have ended: ./tandem fan-outs recount shows these, and ./tandem fan-outs end"
                            + " ends their fan-outs",
                    ToldRequests.MAX_KEPT,
                    count);
        }
    }

    private void forgotten(int bucket, FanOutReply.Gap gap) {
        int count = buckets.get(bucket).forgotten(gap.last(), clock.millis());
        log.warn("Redis has forgotten what it was told about fan-outs. It is told again: {} requests", count);
    }

    /** Tells again what is forgotten, in its order. */
    private CompletionStage<?> tellAgain(int bucket) {
        ToldRequests told = buckets.get(bucket);
        List<Sent> taken = told.takeAgain(Store.MAX_FAN_OUT_REQUESTS);
        if (taken.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return call(bucket, taken)
                .handle((reply, failure) -> {
                    if (failure != null) {
                        return failed(told, taken, failure);
                    } else if (reply instanceof FanOutReply.Gap gap) {
                        told.putBack(taken);
                        forgotten(bucket, gap);
                    } else {
                        completed(taken, ((FanOutReply.Applied) reply).answers());
                    }
                    return CompletableFuture.completedFuture(null);
                })
                .thenCompose(each -> each)
                .thenCompose(done -> tellAgain(bucket));
    }

    private static CompletableFuture<Object> failed(ToldRequests told, List<Sent> taken, Throwable failure) {
        WrongTypeException refusal = BucketSender.refusal(failure);
        if (refusal == null) {
            told.putBack(taken);
            return CompletableFuture.failedFuture(failure);
        } else if (taken.size() > 1) {
            told.separate(taken);
        } else {
            log.error("Redis refuses a request about fan-outs that it had answered before: {}", refusal.getMessage());
        }
        return CompletableFuture.completedFuture(null);
    }

    private void completed(List<Sent> sent, List<FanOutAnswer> answers) {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < sent.size(); i++) {
            if (answers.get(i).code() == Code.COMPLETE) {
                ids.add(sent.get(i).request().id());
            }
        }
        ids.forEach(id -> later.after(FINISH_HORIZONS * horizonMillis, () -> {
            if (!closed) {
                complete.accept(id);
            }
        }));
    }

    /** Sees to it that a later call proves what was told, also if nobody has anything to tell. */
    private void lookLater(int bucket) {
        long millis = buckets.get(bucket).lookAfter(clock.millis());
        if (millis >= 0 && !closed) {
            later.after(millis, () -> look(bucket));
        }
    }

    private void look(int bucket) {
        FanOutRequest question = buckets.get(bucket).look(clock.millis());
        if (closed) {
            return;
        }
        if (question == null) {
            lookLater(bucket);
        } else {
            ask.accept(question, () -> lookLater(bucket));
        }
    }

    /** Returns how many requests the store may still forget. */
    int kept() {
        return buckets.stream().mapToInt(ToldRequests::kept).sum();
    }

    /** Looks after nothing any more. What was told within the last horizon may be forgotten. */
    @Override
    public void close() {
        closed = true;
    }
}
