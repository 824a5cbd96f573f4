package dev.tandem.outbox;

import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskRef;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A task that was written to the outbox. Accepted once its transaction has committed. */
final class OutboxRef<T> implements TaskRef<T> {

    private final String id;
    private final String queue;
    private final CompletableFuture<TaskRef<T>> accepted = new CompletableFuture<>();

    OutboxRef(String id, String queue) {
        this.id = id;
        this.queue = queue;
    }

    void committed() {
        accepted.complete(this);
    }

    void rolledBack() {
        accepted.completeExceptionally(new SubmitException("The task " + id
                + " was not submitted: its transaction did not commit, or nobody knows whether it did. If it did"
                + " not, submit the task again in the next attempt at the transaction"));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public CompletableFuture<TaskRef<T>> accepted() {
        return accepted.copy();
    }

    @Override
    public TaskRef<T> await(Duration timeout) throws InterruptedException {
        if (!accepted.isDone()) {
            throw new IllegalStateException(
                    "The task " + id
                            + " is submitted by the commit of the open transaction, so it cannot be waited for before: commit first");
        }
        try {
            return accepted.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof SubmitException refused
                    ? new SubmitException(refused.getMessage(), refused)
                    : e;
        }
    }
}
