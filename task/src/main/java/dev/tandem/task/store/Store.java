package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Port: what keeps custody of tasks. Implemented with Redis; the simulations use a model of it. */
public interface Store extends AutoCloseable {

    /** The most requests of one call of {@link #dedup}. */
    int MAX_DEDUP_REQUESTS = 100;

    /** The most requests of one call of {@link #fanOut}. */
    int MAX_FAN_OUT_REQUESTS = 500;

    /**
     * Opens the store link of one partition. Its requests are sent in order on one connection. The store itself never
     * sends a request twice.
     *
     * @param listener called on the store's own threads; it must only note the event and return
     */
    Link link(Partition partition, Listener listener);

    /**
     * Finds the partitions of a queue that hold tasks which are to run: scheduled, failed, parked or claimed ones; or events
     * which are to be published by this process.
     *
     * @param except partitions that are not looked at
     * @param found called once, on any thread; not at all if the store cannot be reached. It must not block
     */
    default void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {}

    /**
     * Finds out whether a part of the store can be reached and used, if its partitions are on several nodes.
     *
     * @param reached called once, on any thread, if so; otherwise not at all. It must not block
     */
    default void findReachablePart(Runnable reached) {}

    /**
     * Registers an executor until the registration is closed. Waits for a second at most, so that the executor knows of the
     * others before it takes partitions; if the store cannot be reached, it is registered later.
     */
    default Registration register(Registration.Registrant executor) {
        executor.queues().forEach(queue -> executor.paused(queue, Registration.OperatorPause.NO));
        return Registration.ALONE;
    }

    /**
     * Sends a request of a run. Any thread may call it. The answer may come before or after those of requests on links.
     *
     * @return fails if the store cannot be reached, does not answer in time, or has no memory left; the request may then have
     *     been applied all the same
     */
    default CompletionStage<StoreAnswer> ask(RunRequest request) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This store keeps no checkpoints and no progress"));
    }

    /**
     * Sends requests about deduplication keys of one bucket ({@link DedupBuckets}). Any thread may call it. They are applied in
     * their order, and those of one call at once.
     *
     * @param requests 1 to {@link #MAX_DEDUP_REQUESTS}
     * @return the answers in the same order; fails as that of {@link #ask} does, or with {@link WrongTypeException} if the store
     *     refuses one of them, whatever became of those before it
     */
    default CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This store knows no deduplication keys"));
    }

    /** Returns what executors share of limits over all of them. */
    default LimitStore limits() {
        return LimitStore.NONE;
    }

    /** Returns what knows which tasks wait for which others. */
    default DependencyStore dependencies() {
        return DependencyStore.NONE;
    }

    /**
     * Sends requests about fan-outs of one bucket ({@link FanOutBuckets}). Any thread may call it. They are applied in their order,
     * and those of one call at once; or none of them, if calls of this caller are forgotten.
     *
     * @param requests 1 to {@link #MAX_FAN_OUT_REQUESTS}
     * @return fails as that of {@link #dedup} does
     */
    default CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("This store keeps no fan-outs"));
    }

    /** Does the same for who does not number its calls. @return the answers in the order of the requests */
    default CompletionStage<List<FanOutAnswer>> fanOut(int bucket, List<FanOutRequest> requests) {
        return fanOut(bucket, FanOutCaller.UNNUMBERED, requests)
                .thenApply(reply -> ((FanOutReply.Applied) reply).answers());
    }

    /**
     * Reads the history of a queue's partitions. Any thread may call it.
     *
     * @return empty if nothing is known; fails as that of {@link #ask} does
     */
    default CompletionStage<Optional<PartitionHistory>> partitionHistory(String queue) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This store keeps no history of partitions"));
    }

    /**
     * Replaces the history of a queue's partitions, unless somebody else has changed it. Any thread may call it.
     *
     * @param expected what it is now; null if nothing is known
     * @param next what it is from now on. A growth that {@linkplain PartitionHistory#begins begins} gets its times
     * @param notBeforeMillis the time by the clock of the store before which it is not replaced, in epoch milliseconds
     * @return whether it was replaced; fails as that of {@link #ask} does
     */
    default CompletionStage<Boolean> changePartitionHistory(
            String queue, @Nullable PartitionHistory expected, PartitionHistory next, long notBeforeMillis) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This store keeps no history of partitions"));
    }

    /** Looks for unsettled tasks of keys in a partition. Any thread may call it. @return fails as that of {@link #ask} does */
    default CompletionStage<LookBack.Answer> lookBack(Partition partition, LookBack question) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This store keeps no history of partitions"));
    }

    @Override
    void close();

    /** A store link: the ordered connection to the data of one partition. */
    interface Link extends AutoCloseable {

        /**
         * Sends a request without waiting for its answer. Must be called by one thread only. After
         * {@link Listener#down} requests are dropped until {@link Listener#up}.
         */
        void send(StoreRequest request);

        @Override
        void close();
    }

    /** Receives the answers, in the order of the requests, and the state of the connection. */
    interface Listener {

        void answered(StoreRequest request, StoreAnswer answer);

        /** The connection broke, or an answer is overdue. Unanswered requests may or may not have been applied. */
        void down(String reason);

        /** The store can be reached, for the first time or again. The first event of a link. */
        void up();

        /**
         * The store has so much room for more tasks of this partition now. Until this is called, it has {@link
         * StoreRoom#HALF}. Outcomes are recorded in any case.
         */
        default void room(StoreRoom room) {}

        /** An operator or a former owner's outcome changed something, so that a task may be due now. */
        void woken();
    }
}
