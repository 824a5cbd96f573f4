package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.Store;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;

/** A store that is asked about permits and answers when a test says so, in the order of the requests. */
final class AskedLimits implements Store, LimitStore {

    /** The requests that a test has not taken yet. */
    final Deque<PermitRequest> asked = new ConcurrentLinkedDeque<>();

    private final Deque<CompletableFuture<PermitAnswer>> unanswered = new ConcurrentLinkedDeque<>();

    /** Answers the first request that has no answer: the executor holds so many permits. */
    void answer(int held) {
        answer(new PermitAnswer(held, held, false));
    }

    void answer(PermitAnswer answer) {
        unanswered.remove().complete(answer);
    }

    @Override
    public LimitStore limits() {
        return this;
    }

    @Override
    public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<PermitAnswer> permits(PermitRequest request) {
        asked.add(request);
        CompletableFuture<PermitAnswer> answer = new CompletableFuture<>();
        unanswered.add(answer);
        return answer;
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
