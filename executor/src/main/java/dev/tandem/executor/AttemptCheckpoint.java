package dev.tandem.executor;

import dev.tandem.api.CheckpointException;
import dev.tandem.ordering.Run;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Saves and reads the checkpoint of one attempt, one request after the other. Thread-safe. */
final class AttemptCheckpoint {

    /** About ten seconds in all: the claim of a relayed run is written in milliseconds unless the store is slow. */
    private static final int MAX_TRIES = 45;

    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long MAX_PAUSE_MILLIS = 250;

    private final Run run;
    private final Store store;
    private final int maxBytes;
    private final BooleanSupplier goesOn;
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
    /** The checkpoint that is known to be in the store. Null if nothing is known yet, or there is none. */
    private byte @Nullable [] value;

    private boolean isKnown;
    private boolean exists;

    /** @param goesOn whether the handler is active and its claim held, as far as is known here */
    AttemptCheckpoint(Run run, QueueSpec spec, BooleanSupplier goesOn) {
        this.run = run;
        this.store = spec.store();
        this.maxBytes = spec.parts().notes().maxCheckpointBytes();
        this.goesOn = goesOn;
    }

    /** Returns whether the task has a checkpoint: one was read or sent. */
    synchronized boolean exists() {
        return exists;
    }

    synchronized CompletableFuture<Void> save(byte[] checkpoint) {
        if (checkpoint.length > maxBytes) {
            return CompletableFuture.failedFuture(new CheckpointException("The checkpoint has " + checkpoint.length
                    + " bytes, more than max-checkpoint-bytes of queue '"
                    + run.partition().queue() + "' (" + maxBytes
                    + "): keep large data elsewhere and its place in the checkpoint, or raise the setting"));
        }
        exists = true;
        RunRequest request =
                new RunRequest.SaveCheckpoint(run.partition(), run.position(), run.token(), checkpoint.clone());
        CompletableFuture<Void> saved = behindLast(request).thenAccept(answer -> known(checkpoint.clone()));
        last = saved;
        return saved;
    }

    /** Returns the last checkpoint; null if there is none. */
    synchronized CompletableFuture<byte @Nullable []> read() {
        if (isKnown) {
            return CompletableFuture.completedFuture(value == null ? null : value.clone());
        }
        RunRequest request = new RunRequest.ReadCheckpoint(run.partition(), run.position(), run.token());
        CompletableFuture<byte @Nullable []> read = behindLast(request).thenApply(answer -> {
            known(answer.value());
            return answer.value();
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
        return store.ask(request)
                .toCompletableFuture()
                .handle((answer, failure) -> decide(request, tries, answer, failure))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<StoreAnswer.Checkpoint> decide(
            RunRequest request, int tries, @Nullable StoreAnswer answer, @Nullable Throwable failure) {
        boolean mayTry = tries < MAX_TRIES && goesOn.getAsBoolean();
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
}
