package dev.tandem.scheduler;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs so many searches at a time, and the others in the order in which they came. Thread-safe. */
final class SearchQueue {

    private final int atOnce;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;

    SearchQueue(int atOnce) {
        this.atOnce = atOnce;
    }

    /** Returns what a search returns once it was its turn. */
    <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> search) {
        CompletableFuture<T> result = new CompletableFuture<>();
        enter(() -> started(search).whenComplete((found, failure) -> {
            leave();
            if (failure == null) {
                result.complete(found);
            } else {
                result.completeExceptionally(failure);
            }
        }));
        return result;
    }

    private static <T> CompletableFuture<T> started(Supplier<CompletableFuture<T>> search) {
        try {
            return search.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void enter(Runnable start) {
        synchronized (this) {
            if (running >= atOnce) {
                waiting.add(start);
                return;
            }
            running++;
        }
        start.run();
    }

    private void leave() {
        Runnable next = next();
        if (next != null) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        if (next == null) {
            running--;
        }
        return next;
    }
}
