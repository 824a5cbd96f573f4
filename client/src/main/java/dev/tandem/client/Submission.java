package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskRef;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.PublishException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task that was checked and encoded, from then until its broker has acknowledged it. Thread-safe.
 *
 * <p>A busy client has a hundred thousand of these at a time, which the garbage collector copies, so each is small and takes
 * no locks.
 */
final class Submission<T> implements TaskRef<T>, Consumer<@Nullable PublishException> {

    /** The state of an accepted task. */
    private static final Object ACCEPTED = new Object();

    /** Of all clients, so that no submission needs a reference. */
    private static final FailedSubmissions FAILURES = new FailedSubmissions(System::nanoTime);

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Submission.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Several who wait for the end, the last one first. */
    private record Waiting(CompletableFuture<?> last, Object others) {}

    /** Null if it is made of a number. */
    private final @Nullable String givenId;

    private final @Nullable TaskIds ids;
    private final long number;
    private final String queue;

    /** Where the task waits for the end of a transaction; null if it does not. */
    private volatile @Nullable TransactionBoundary heldBy;

    /**
     * While the end is not known: null, the future of the one who waits for it, or {@link Waiting}. Then {@link #ACCEPTED},
     * or the {@link SubmitException} that says why the task was not accepted.
     */
    @SuppressWarnings("unused") // by STATE
    private volatile @Nullable Object state;

    Submission(String givenId, String queue) {
        this.givenId = givenId;
        this.ids = null;
        this.number = 0;
        this.queue = queue;
    }

    Submission(TaskIds ids, long number, String queue) {
        this.givenId = null;
        this.ids = ids;
        this.number = number;
        this.queue = queue;
    }

    void holdBy(@Nullable TransactionBoundary boundary) {
        heldBy = boundary;
    }

    /** Ends the submission of a task that was not sent. */
    void giveUp(String why, @Nullable Throwable cause) {
        heldBy = null;
        end(cause == null ? new SubmitException(why) : new SubmitException(why, cause));
    }

    /** @throws InvalidTaskException if the client of the broker has refused the task already */
    void requireNotRefused() {
        if (state instanceof InvalidTaskException refused) {
            throw forCaller(refused);
        }
    }

    @Override
    public void accept(@Nullable PublishException failure) {
        if (failure == null) {
            end(null);
        } else {
            fail(translated(failure));
        }
    }

    /** Ends the submission of a task that failed while it was sent. It is logged if nobody waits for it. */
    void fail(SubmitException failure) {
        if (!end(failure)) {
            FAILURES.add(queue, id(), String.valueOf(failure.getMessage()));
        }
    }

    /** Returns whether somebody waited for this end. */
    private boolean end(@Nullable SubmitException failure) {
        Object before = STATE.getAndSet(this, failure == null ? ACCEPTED : failure);
        if (before instanceof Waiting several) {
            Deque<CompletableFuture<?>> first = new ArrayDeque<>();
            forEach(several, first::addFirst);
            first.forEach(each -> complete(each, failure));
        } else if (before instanceof CompletableFuture<?> one) {
            complete(one, failure);
        }
        return before != null;
    }

    private static void forEach(@Nullable Object waiting, Consumer<CompletableFuture<?>> action) {
        Object next = waiting;
        while (next instanceof Waiting several) {
            action.accept(several.last());
            next = several.others();
        }
        if (next instanceof CompletableFuture<?> one) {
            action.accept(one);
        }
    }

    @SuppressWarnings("unchecked") // all futures are made by accepted()
    private void complete(CompletableFuture<?> future, @Nullable SubmitException failure) {
        if (failure == null) {
            ((CompletableFuture<TaskRef<T>>) future).complete(this);
        } else {
            future.completeExceptionally(failure);
        }
    }

    private static SubmitException translated(PublishException failure) {
        String message = String.valueOf(failure.getMessage());
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return failure instanceof Publisher.InvalidTaskException
                ? new InvalidTaskException(message, cause)
                : new SubmitException(message, cause);
    }

    @Override
    public String id() {
        return ids == null ? String.valueOf(givenId) : ids.id(number);
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public CompletableFuture<TaskRef<T>> accepted() {
        CompletableFuture<TaskRef<T>> future = new CompletableFuture<>();
        Object now;
        do {
            now = state;
            if (now == ACCEPTED || now instanceof SubmitException) {
                complete(future, now == ACCEPTED ? null : (SubmitException) now);
                return future;
            }
        } while (!STATE.compareAndSet(this, now, now == null ? future : new Waiting(future, now)));
        return future;
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
                    "The task " + id() + " was not acknowledged within " + timeout + " by the broker of queue '" + queue
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

    /** Forgets a future that nobody has any more. */
    private void forget(CompletableFuture<?> future) {
        Object now;
        Object others;
        do {
            now = state;
            if (now == ACCEPTED || now instanceof SubmitException) {
                return;
            }
            others = without(now, future);
        } while (!STATE.compareAndSet(this, now, others));
    }

    private static @Nullable Object without(@Nullable Object waiting, CompletableFuture<?> future) {
        Deque<CompletableFuture<?>> first = new ArrayDeque<>();
        forEach(waiting, each -> {
            if (each != future) {
                first.addFirst(each);
            }
        });
        Object others = null;
        for (CompletableFuture<?> each : first) {
            others = others == null ? each : new Waiting(each, others);
        }
        return others;
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
        return "TaskRef[queue=" + queue + ", id=" + id() + "]";
    }
}
