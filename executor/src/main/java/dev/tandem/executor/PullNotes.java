package dev.tandem.executor;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Carries out what pull workers note of the tasks that they have. Thread-safe. */
final class PullNotes {

    private final int maxCheckpointBytes;
    private final String queue;

    PullNotes(QueueSpec spec) {
        this.maxCheckpointBytes = spec.parts().notes().maxCheckpointBytes();
        this.queue = spec.name();
    }

    /** @param extend extends the lease */
    CompletableFuture<LeaseAnswer> apply(PulledLease lease, LeaseRequest request, LongFunction<LeaseAnswer> extend) {
        if (request instanceof LeaseRequest.SaveCheckpoint save) {
            return save(lease, save.value());
        } else if (request instanceof LeaseRequest.ReadCheckpoint) {
            return lease.attempt()
                    .records()
                    .checkpoint()
                    .read()
                    .handle((value, failure) -> failure == null ? LeaseAnswer.checkpoint(value) : failed(failure));
        }
        return CompletableFuture.completedFuture(
                request instanceof LeaseRequest.Progress progress
                        ? note(lease, progress, extend)
                        : extend.apply(((LeaseRequest.Extend) request).millis()));
    }

    private static LeaseAnswer note(
            PulledLease lease, LeaseRequest.Progress progress, LongFunction<LeaseAnswer> extend) {
        LeaseAnswer extended = extend.apply(progress.extendMillis());
        if (extended.status() == LeaseAnswer.Status.DONE) {
            lease.attempt().progress(progress.done(), progress.total(), progress.text());
            if (progress.line() != null) {
                lease.attempt().log(progress.line());
            }
        }
        return extended;
    }

    private CompletableFuture<LeaseAnswer> save(PulledLease lease, byte[] value) {
        if (value.length > maxCheckpointBytes) {
            return CompletableFuture.completedFuture(LeaseAnswer.invalid(
                    "The checkpoint has " + value.length + " bytes, more than max-checkpoint-bytes of" + " queue '"
                            + queue + "' (" + maxCheckpointBytes + ")"));
        }
        String lost = lease.lost();
        return lost != null
                ? CompletableFuture.completedFuture(LeaseAnswer.lost(lost))
                : lease.attempt()
                        .records()
                        .checkpoint()
                        .save(value)
                        .handle((saved, failure) -> failure == null ? LeaseAnswer.done() : failed(failure));
    }

    /** A refusal has no cause, as {@link AttemptCheckpoint} makes it. */
    private static LeaseAnswer failed(@Nullable Throwable failure) {
        Throwable thrown =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return thrown == null || thrown.getCause() == null
                ? LeaseAnswer.lost("it has ended, or another executor has it")
                : LeaseAnswer.unknown("Redis did not take or return the checkpoint");
    }
}
