package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskRef;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A task that was checked and encoded, from then until its broker has acknowledged it. Thread-safe. */
final class Submission<T> implements TaskRef<T>, Consumer<@Nullable PublishException> {

    private final String id;
    private final String queue;
    private final int bytes;

    /** Null once it was sent or given up, so that a kept reference does not keep the payload. */
    private @Nullable Publication publication;

    /** Where the task waits for the end of a transaction; null if it does not. */
    private volatile @Nullable TransactionBoundary heldBy;

    private boolean ended;

    /** Why the task was not accepted; null if it was, or if that is not known yet. */
    private @Nullable SubmitException problem;

    /** Whom the end is told: nobody, one, or a list. There may be tens of thousands of submissions, so most have none. */
    private @Nullable CompletableFuture<TaskRef<T>> waiting;

    private @Nullable List<CompletableFuture<TaskRef<T>>> more;

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
            try {
                sending.send(this);
            } catch (RuntimeException | Error e) {
                // Those that are sent after this one must not suffer from it, nor may whoever waits for it.
                end(new SubmitException("The task was not submitted: " + e, e));
            }
        }
    }

    /** Gives the task up unless it was sent. */
    void giveUp(String why, @Nullable Throwable cause) {
        if (take() != null) {
            end(cause == null ? new SubmitException(why) : new SubmitException(why, cause));
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
        SubmitException found;
        synchronized (this) {
            found = problem;
        }
        if (found instanceof InvalidTaskException) {
            throw forCaller(found);
        }
    }

    @Override
    public void accept(@Nullable PublishException failure) {
        end(failure == null ? null : translated(failure));
    }

    private void end(@Nullable SubmitException failure) {
        CompletableFuture<TaskRef<T>> one;
        List<CompletableFuture<TaskRef<T>>> others;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            problem = failure;
            one = waiting;
            waiting = null;
            others = more;
            more = null;
        }
        if (one != null) {
            complete(one, failure);
        }
        if (others != null) {
            others.forEach(each -> complete(each, failure));
        }
    }

    private void complete(CompletableFuture<TaskRef<T>> future, @Nullable SubmitException failure) {
        if (failure == null) {
            future.complete(this);
        } else {
            future.completeExceptionally(failure);
        }
    }

    private static SubmitException translated(PublishException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof Publisher.InvalidTaskException
                ? new InvalidTaskException(message, failure)
                : new SubmitException(message, failure);
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
        CompletableFuture<TaskRef<T>> future = new CompletableFuture<>();
        SubmitException failure;
        synchronized (this) {
            if (!ended) {
                addWaiting(future);
                return future;
            }
            failure = problem;
        }
        complete(future, failure);
        return future;
    }

    private void addWaiting(CompletableFuture<TaskRef<T>> future) {
        if (waiting == null) {
            waiting = future;
            return;
        }
        if (more == null) {
            more = new ArrayList<>();
        }
        more.add(future);
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
        CompletableFuture<TaskRef<T>> future = accepted();
        try {
            return future.get(nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new SubmitException(
                    "The task " + id + " was not acknowledged within " + timeout + " by the broker of queue '" + queue
                            + "'; it may arrive all the same. Is the broker there?",
                    e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SubmitException failure
                    ? forCaller(failure)
                    : new SubmitException(String.valueOf(e.getMessage()), e);
        } finally {
            forget(future);
        }
    }

    private synchronized void forget(CompletableFuture<TaskRef<T>> future) {
        if (waiting == future) {
            waiting = null;
        } else if (more != null) {
            more.remove(future);
        }
    }

    /** Returns the same failure with the stack of the caller. */
    private static SubmitException forCaller(SubmitException failure) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof InvalidTaskException
                ? new InvalidTaskException(message, failure)
                : new SubmitException(message, failure);
    }

    private static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    @Override
    public String toString() {
        return "TaskRef[queue=" + queue + ", id=" + id + "]";
    }
}
