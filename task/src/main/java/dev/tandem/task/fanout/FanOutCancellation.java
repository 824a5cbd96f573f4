package dev.tandem.task.fanout;

import dev.tandem.task.fanout.FanOutAnswer.Code;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Cancels fan-outs, with those that their subtasks have begun, however deep. Thread-safe if its store is. */
public final class FanOutCancellation {

    private final Function<FanOutRequest, ? extends CompletionStage<FanOutAnswer>> store;

    /** @param store sends a request */
    public FanOutCancellation(Function<FanOutRequest, ? extends CompletionStage<FanOutAnswer>> store) {
        this.store = store;
    }

    /**
     * Cancels a fan-out and all within it. A subtask whose fan-out begins only now finds that out by itself.
     *
     * @return ends with the answer about the fan-out itself; fails if one of them could not be cancelled
     */
    public CompletionStage<FanOutAnswer> cancel(String id, String why) {
        return store.apply(new FanOutRequest.Cancel(id, why))
                .thenCompose(answer -> isOver(answer)
                        ? CompletableFuture.completedFuture(answer)
                        : cancelWithin(id, FanOutRequest.Within.FIRST, why).thenApply(done -> answer));
    }

    /** Returns whether nothing of a fan-out is left to be cancelled. */
    private static boolean isOver(FanOutAnswer answer) {
        return answer.code() == Code.UNKNOWN || answer.code() == Code.CLOSED;
    }

    private CompletionStage<Void> cancelWithin(String id, String from, String why) {
        return store.apply(new FanOutRequest.Within(id, from)).thenCompose(answer -> {
            if (answer.other().isEmpty()) {
                return CompletableFuture.completedFuture(null); // It is forgotten.
            }
            List<String> page = List.of(answer.other().split(" "));
            String next = page.get(0);
            CompletableFuture<?>[] cancelled = page.subList(1, page.size()).stream()
                    .map(each -> cancel(each, why).toCompletableFuture())
                    .toArray(CompletableFuture[]::new);
            return CompletableFuture.allOf(cancelled)
                    .thenCompose(done -> next.equals(FanOutRequest.Within.FIRST)
                            ? CompletableFuture.completedFuture(null)
                            : cancelWithin(id, next, why));
        });
    }
}
