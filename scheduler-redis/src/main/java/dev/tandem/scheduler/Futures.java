package dev.tandem.scheduler;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Combines futures. */
final class Futures {

    private Futures() {}

    /** Asks for all at once. Completes with the answers in order when all have come, or fails when one fails. */
    static <A, T> CompletableFuture<List<T>> all(List<A> asked, Function<A, CompletableFuture<T>> each) {
        List<CompletableFuture<T>> futures = asked.stream().map(each).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }
}
