package dev.tandem.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Combines futures. */
final class Futures {

    /** How many requests of one caller are under way at a time: enough to hide round trips. */
    static final int AT_ONCE = 64;

    private Futures() {}

    /** Begins an action. What it throws is the failure of the future. */
    static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> action) {
        return CompletableFuture.completedFuture(action).thenCompose(Supplier::get);
    }

    /**
     * Asks for all, some at a time, so that a question about many partitions leaves room for others. Completes with the
     * answers in order when all have come, or fails when one fails.
     */
    static <A, T> CompletableFuture<List<T>> all(List<A> asked, Function<A, CompletableFuture<T>> each) {
        return from(0, asked, each, new ArrayList<>(asked.size()));
    }

    private static <A, T> CompletableFuture<List<T>> from(
            int at, List<A> asked, Function<A, CompletableFuture<T>> each, List<T> answers) {
        if (at >= asked.size()) {
            return CompletableFuture.completedFuture(answers);
        }
        int to = Math.min(asked.size(), at + AT_ONCE);
        List<CompletableFuture<T>> futures =
                asked.subList(at, to).stream().map(each).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenCompose(done -> {
                    futures.forEach(future -> answers.add(future.join()));
                    return from(to, asked, each, answers);
                });
    }
}
