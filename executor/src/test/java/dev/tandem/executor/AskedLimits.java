package dev.tandem.executor;

import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;

/** A store that is asked about permits and answers when a test says so, in the order of the requests. */
final class AskedLimits extends LimitsOnlyStore {

    /** The requests that a test has not taken yet. */
    final Deque<PermitRequest> asked = new ConcurrentLinkedDeque<>();

    /** A request without an answer. @param max the most permits that it tells */
    private record Unanswered(int max, CompletableFuture<PermitAnswer> future) {}

    private final Deque<Unanswered> unanswered = new ConcurrentLinkedDeque<>();

    /** Answers the first request that has no answer: the executor holds so many permits. */
    void answer(int held) {
        Unanswered first = unanswered.remove();
        first.future().complete(new PermitAnswer(held, held, false, first.max()));
    }

    @Override
    public CompletionStage<PermitAnswer> permits(PermitRequest request) {
        asked.add(request);
        CompletableFuture<PermitAnswer> answer = new CompletableFuture<>();
        unanswered.add(new Unanswered(request.max(), answer));
        return answer;
    }
}
