package dev.tandem.server.runtime;

import dev.tandem.scheduler.KeyedRequestBook;
import dev.tandem.server.inspect.KeyedRequests;
import java.util.concurrent.CompletableFuture;

/** Keeps requests with keys of their callers in Redis. */
final class RedisKeyedRequests implements KeyedRequests {

    private final KeyedRequestBook book;

    RedisKeyedRequests(KeyedRequestBook book) {
        this.book = book;
    }

    @Override
    public Run run(String caller, String key) {
        KeyedRequestBook.Run run = KeyedRequestBook.Run.of(caller, key);
        return new Run() {
            @Override
            public CompletableFuture<Begin> begin() {
                return known(book.begin(run))
                        .thenApply(
                                begin -> new Begin(State.valueOf(begin.state().name()), begin.answer()));
            }

            @Override
            public CompletableFuture<Boolean> renew() {
                return known(book.renew(run));
            }

            @Override
            public CompletableFuture<Boolean> finish(String answer) {
                return known(book.finish(run, answer));
            }

            @Override
            public CompletableFuture<Boolean> forget() {
                return known(book.forget(run));
            }
        };
    }

    private static <T> CompletableFuture<T> known(CompletableFuture<T> answer) {
        return answer.exceptionally(failure -> {
            throw RedisCalls.failed(failure);
        });
    }
}
