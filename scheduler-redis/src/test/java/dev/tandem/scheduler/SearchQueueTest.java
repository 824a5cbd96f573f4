package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SearchQueueTest {

    @Test
    void soManySearchesRunAtATimeAndTheOthersInOrder() {
        SearchQueue queue = new SearchQueue(2);
        List<CompletableFuture<String>> started = new ArrayList<>();
        List<CompletableFuture<String>> results = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            results.add(queue.run(() -> {
                CompletableFuture<String> search = new CompletableFuture<>();
                started.add(search);
                return search;
            }));
        }
        assertThat(started).hasSize(2);
        started.get(1).complete("b");
        assertThat(started).hasSize(3);
        started.get(0).completeExceptionally(new IllegalStateException("Redis is away"));
        assertThat(started).hasSize(4);
        started.get(2).complete("c");
        started.get(3).complete("d");

        assertThat(results.get(0)).isCompletedExceptionally();
        assertThat(results.get(1)).isCompletedWithValue("b");
        assertThat(results.get(3)).isCompletedWithValue("d");
        assertThat(queue.run(() -> {
                    throw new IllegalStateException("no connection");
                }))
                .isCompletedExceptionally();
        assertThat(queue.run(() -> CompletableFuture.completedFuture("e"))).isCompletedWithValue("e");
    }
}
