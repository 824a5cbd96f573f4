package dev.tandem.task.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Port: what executors share of limits over all of them. Any thread may call it. Futures fail as that of {@link Store#ask} does. */
public interface LimitStore {

    /** Knows no limits: all requests fail. */
    LimitStore NONE = new LimitStore() {
        @Override
        public CompletionStage<PermitAnswer> permits(PermitRequest request) {
            return CompletableFuture.failedFuture(
                    new UnsupportedOperationException("This store knows no limits over several executors"));
        }

        @Override
        public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
            return CompletableFuture.failedFuture(
                    new UnsupportedOperationException("This store knows no limits over several executors"));
        }
    };

    /** Takes, keeps and gives back permits of a limit. */
    CompletionStage<PermitAnswer> permits(PermitRequest request);

    /**
     * Reserves tokens of one rate limit. Those whose answer is lost are lost.
     *
     * @param requests 1 to {@link RateRequest#MAX_REQUESTS}, each about another bucket
     * @return the answers in the same order
     */
    CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests);

    /**
     * Says what a rate limit is, so that people find it. It may be called with each request: the store writes it now and then,
     * and nobody waits for it.
     */
    default void describe(RateInfo rate) {}

    /**
     * Calls the listener when an executor should ask about the permits of a limit again: there are some for it, others
     * want some of those that it has, or an operator has changed the limit. That is a hint, which may come in vain or not at all.
     *
     * @param listener called on the store's threads; it must not block
     * @return ends the watch when closed
     */
    default AutoCloseable watch(String limit, String executor, Runnable listener) {
        return () -> {};
    }

    /**
     * Calls the listener when the rate of a limit may have been changed. That is a hint, which may come in vain or not at all.
     *
     * @param listener called on the store's threads; it must not block
     * @return ends the watch when closed
     */
    default AutoCloseable watchRate(String limit, Runnable listener) {
        return () -> {};
    }
}
