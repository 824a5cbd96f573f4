package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.WrongTypeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers requests about deduplication keys when the test says so. */
final class DedupStore implements Store {

    /** The requests of each call. */
    final List<List<DedupRequest>> calls = new ArrayList<>();

    private final Deque<CompletableFuture<List<DedupAnswer>>> unanswered = new ArrayDeque<>();

    @Override
    public CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        calls.add(requests);
        CompletableFuture<List<DedupAnswer>> answer = new CompletableFuture<>();
        unanswered.add(answer);
        return answer;
    }

    /** Answers the oldest call. */
    void answer(DedupAnswer... answers) {
        unanswered.remove().complete(List.of(answers));
    }

    void fail() {
        unanswered.remove().completeExceptionally(new IllegalStateException("no connection"));
    }

    /** Refuses the oldest call, since something else is stored under one of its keys. */
    void refuse() {
        unanswered.remove().completeExceptionally(new WrongTypeException("a string", new IllegalStateException()));
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
