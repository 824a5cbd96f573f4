package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskRef;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishedId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A task that was checked and encoded, from then until its broker has acknowledged it. Thread-safe. */
final class Submission<T> implements TaskRef<T>, BiConsumer<PublishedId, @Nullable Throwable> {

    private final String id;
    private final String queue;
    private final int bytes;
    private final CompletableFuture<TaskRef<T>> accepted = new CompletableFuture<>();

    /** Null once it was sent or given up, so that a kept reference does not keep the payload. */
    private @Nullable Publication publication;

    /** Where the task waits for the end of a transaction; null if it does not. */
    private volatile @Nullable TransactionBoundary heldBy;

    Submission(String id, String queue, int bytes, Publication publication) {
        this.id = id;
        this.queue = queue;
        this.bytes = bytes;
        this.publication = publication;
    }

    /** Returns the length of the payload. */
    int bytes() {
        return bytes;
    }

    void holdBy(TransactionBoundary boundary) {
        heldBy = boundary;
    }

    /** Sends the task unless it was sent or given up. Never throws. */
    void send() {
        Publication sending = take();
        if (sending != null) {
            sending.send().whenComplete(this);
        }
    }

    /** Gives the task up unless it was sent. */
    void giveUp(String why, @Nullable Throwable cause) {
        if (take() != null) {
            accepted.completeExceptionally(cause == null ? new SubmitException(why) : new SubmitException(why, cause));
        }
    }

    private synchronized @Nullable Publication take() {
        Publication taken = publication;
        publication = null;
        heldBy = null;
        return taken;
    }

    /** @throws InvalidTaskException if the client of the broker has refused the task already */
    void requireNotRefused() {
        if (accepted.isCompletedExceptionally()) {
            SubmitException problem = problem();
            if (problem instanceof InvalidTaskException) {
                throw problem;
            }
        }
    }

    @Override
    public void accept(PublishedId published, @Nullable Throwable problem) {
        if (problem == null) {
            accepted.complete(this);
        } else {
            accepted.completeExceptionally(translated(problem));
        }
    }

    private static SubmitException translated(Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return cause instanceof dev.tandem.task.Publisher.InvalidTaskException
                ? new InvalidTaskException(message, cause)
                : new SubmitException(message, cause);
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
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("The timeout is " + timeout + ": it must be more than 0");
        }
        TransactionBoundary boundary = heldBy;
        if (boundary != null && boundary.isOpen()) {
            throw new IllegalStateException("The task is sent after the commit of the transaction that is open in this"
                    + " thread, so it cannot be awaited here: await it after the transaction");
        }
        try {
            return accepted.get(nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new SubmitException(
                    "The task " + id + " was not acknowledged within " + timeout + " by the broker of queue '" + queue
                            + "'; it may arrive all the same. Is the broker there?",
                    e);
        } catch (ExecutionException e) {
            throw problem();
        }
    }

    /** Returns why the task was not accepted, with the stack of the caller. */
    private SubmitException problem() {
        try {
            accepted.join();
            throw new IllegalStateException("The task was accepted");
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
            return cause instanceof InvalidTaskException
                    ? new InvalidTaskException(message, cause)
                    : new SubmitException(message, cause);
        }
    }

    private static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    @Override
    public String toString() {
        return "TaskRef[queue=" + queue + ", id=" + id + "]";
    }
}
