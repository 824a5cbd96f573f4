package dev.tandem.executor;

import dev.tandem.api.CheckpointException;
import dev.tandem.ordering.Run;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Saves and reads the checkpoint of one attempt, one request after the other. Thread-safe.
 *
 * <p>One save is under way and one waits at most. A newer value takes the place of the one that waits, so a handler that saves
 * faster than the store answers holds two values, and the last one is saved.
 */
final class AttemptCheckpoint {

    /** About ten seconds in all: the claim of a relayed run is written in milliseconds unless the store is slow. */
    private static final int MAX_TRIES = 45;

    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long MAX_PAUSE_MILLIS = 250;

    /** A save that waits for the request before it. */
    private static final class NextSave {
        private final CompletableFuture<Void> saved;
        private byte[] checkpoint;

        NextSave(byte[] checkpoint, CompletableFuture<Void> saved) {
            this.checkpoint = checkpoint;
            this.saved = saved;
        }
    }

    private final Run run;
    private final Store store;
    private final int maxBytes;
    private final BooleanSupplier isLeased;
    /** Ends with the last request that was asked for. */
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    private @Nullable NextSave next;
    private volatile boolean ended;
    /** The checkpoint that is known to be in the store. Null if nothing is known yet, or there is none. */
    private byte @Nullable [] value;

    private boolean isKnown;
    private boolean exists;

    /** @param isLeased whether the claim is held, as far as is known here */
    AttemptCheckpoint(Run run, QueueSpec spec, BooleanSupplier isLeased) {
        this.run = run;
        this.store = spec.store();
        this.maxBytes = spec.parts().notes().maxCheckpointBytes();
        this.isLeased = isLeased;
    }

    /** Returns whether the task has a checkpoint: one was read or sent. */
    synchronized boolean exists() {
        return exists;
    }

    /** Saves a checkpoint. @return ends when it or a newer one is saved */
    synchronized CompletableFuture<Void> save(byte[] checkpoint) {
        if (checkpoint.length > maxBytes) {
            return CompletableFuture.failedFuture(new CheckpointException("The checkpoint has " + checkpoint.length
                    + " bytes, more than max-checkpoint-bytes of queue '"
                    + run.partition().queue() + "' (" + maxBytes
                    + "): keep large data elsewhere and its place in the checkpoint, or raise the setting"));
        }
        exists = true;
        NextSave waiting = next;
        if (waiting != null) {
            waiting.checkpoint = checkpoint.clone();
            return waiting.saved;
        }
        CompletableFuture<Void> saved = new CompletableFuture<>();
        next = new NextSave(checkpoint.clone(), saved);
        CompletableFuture<?> before = last;
        last = saved;
        before.whenComplete((done, failure) -> sendNext());
        return saved;
    }

    private void sendNext() {
        NextSave sent;
        synchronized (this) {
            sent = Objects.requireNonNull(next);
            next = null;
        }
        byte[] checkpoint = sent.checkpoint;
        RunRequest request = new RunRequest.SaveCheckpoint(run.partition(), run.position(), run.token(), checkpoint);
        CompletableFuture.completedFuture(request)
                .thenCompose(each -> ask(each, 1))
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        known(checkpoint);
                        sent.saved.complete(null);
                    } else {
                        sent.saved.completeExceptionally(cause(failure));
                    }
                });
    }

    /** Returns the future of what was asked for last. */
    synchronized CompletableFuture<?> last() {
        return last;
    }

    /** Waits for what was asked for, until that time at most. */
    void settle(long untilNanos) {
        try {
            last().get(Math.max(0, untilNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            // Nobody interrupts an attempt that has ended, so this came from its handler and means nothing any more.
        } catch (ExecutionException | TimeoutException e) {
            // The handler was told, or the outcome waits no longer: the next run begins with the checkpoint before.
        }
    }

    /** Ends it with its attempt: nothing more is asked of the store. */
    void end() {
        ended = true;
    }

    /** Returns the last checkpoint; null if there is none. */
    synchronized CompletableFuture<byte @Nullable []> read() {
        if (isKnown) {
            return CompletableFuture.completedFuture(value == null ? null : value.clone());
        }
        RunRequest request = new RunRequest.ReadCheckpoint(run.partition(), run.position(), run.token());
        CompletableFuture<byte @Nullable []> read = behindLast(request).thenApply(answer -> {
            byte[] checkpoint = answer.value();
            known(checkpoint);
            return checkpoint == null ? null : checkpoint.clone();
        });
        last = read;
        return read;
    }

    private synchronized void known(byte @Nullable [] checkpoint) {
        value = checkpoint;
        isKnown = true;
        exists |= checkpoint != null;
    }

    private CompletableFuture<StoreAnswer.Checkpoint> behindLast(RunRequest request) {
        return last.handle((before, failure) -> request).thenCompose(each -> ask(each, 1));
    }

    private CompletableFuture<StoreAnswer.Checkpoint> ask(RunRequest request, int tries) {
        if (ended) {
            return CompletableFuture.failedFuture(
                    new CheckpointException("The attempt " + run + " has ended, so its checkpoint was not sent"));
        }
        return store.ask(request)
                .toCompletableFuture()
                .handle((answer, failure) -> decide(request, tries, answer, failure))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<StoreAnswer.Checkpoint> decide(
            RunRequest request, int tries, @Nullable StoreAnswer answer, @Nullable Throwable failure) {
        boolean mayTry = tries < MAX_TRIES && !ended && isLeased.getAsBoolean();
        if (answer instanceof StoreAnswer.Checkpoint checkpoint) {
            if (checkpoint.standing() == Standing.CLAIMED) {
                return CompletableFuture.completedFuture(checkpoint);
            } else if (checkpoint.standing() == Standing.ENDED || !mayTry) {
                return CompletableFuture.failedFuture(new CheckpointException("The attempt " + run
                        + " has lost its claim: another run of the task may have begun, or its outcome is recorded."
                        + " Its checkpoint was refused; the handler should end"));
            }
        } else if (!mayTry) {
            return CompletableFuture.failedFuture(new CheckpointException(
                    "The store did not take or return the checkpoint of " + run, cause(failure)));
        }
        return CompletableFuture.supplyAsync(() -> request, pause(tries)).thenCompose(again -> ask(again, tries + 1));
    }

    private static Throwable cause(@Nullable Throwable failure) {
        if (failure == null) {
            return new IllegalStateException("the store gave no answer");
        }
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static Executor pause(int tries) {
        long millis = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 10));
        return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for a save or a read of a checkpoint.
     *
     * @throws CheckpointException if it failed, or the thread was interrupted
     */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CheckpointException("The handler was interrupted while it waited for the store", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            // A new exception, so that the stack shows the call of the handler.
            throw new CheckpointException(String.valueOf(cause.getMessage()), cause);
        }
    }
}
