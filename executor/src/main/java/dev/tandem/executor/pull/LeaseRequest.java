package dev.tandem.executor.pull;

import org.jspecify.annotations.Nullable;

/** The request of a worker about a task that it has. */
public sealed interface LeaseRequest {

    /** The task is done, or will be run again, or is dead: the worker has it no more. */
    sealed interface End extends LeaseRequest {}

    /** The task has succeeded. @param result as JSON; null for none */
    record Finish(@Nullable String result) implements End {}

    /** The attempt has failed. @param delayMillis until the next one; -1 for what the queue says */
    record Fail(String error, long delayMillis) implements End {}

    /** The task is to run again, without having spent an attempt. */
    record Release(long delayMillis) implements End {}

    /** The task cannot succeed: it is dead at once. */
    record Bury(String reason) implements End {}

    /** Nobody needs the task any more: it ends as a cancelled one. */
    record Discard() implements End {}

    /** The worker needs more time. @param millis from now; 0 for the lease that it had asked for */
    record Extend(long millis) implements LeaseRequest {}

    /**
     * The worker has come so far. This extends the lease, too.
     *
     * @param total 0 if it is not known
     * @param text may be empty
     * @param line for the log of the task; null for none
     * @param extendMillis as in {@link Extend}
     */
    record Progress(
            long done, long total, String text, @Nullable String line, long extendMillis) implements LeaseRequest {}

    /** The next run is to go on from here. */
    record SaveCheckpoint(byte[] value) implements LeaseRequest {}

    /** Asks from where to go on. */
    record ReadCheckpoint() implements LeaseRequest {}
}
