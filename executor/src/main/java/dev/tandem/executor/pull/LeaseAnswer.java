package dev.tandem.executor.pull;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link LeaseRequest}.
 *
 * @param detail why it was not done, for people; empty if it was
 * @param leaseMillis for how long the worker has the task from now on; 0 if that was not asked
 * @param checkpoint as it was saved; null if there is none, or none was asked for
 */
public record LeaseAnswer(Status status, String detail, long leaseMillis, byte @Nullable [] checkpoint) {

    /** The answer to a request. */
    public enum Status {
        /** Done; the end of a task is recorded in the store. */
        DONE,
        /** The request itself is wrong. */
        INVALID,
        /** The worker does not have the task any more. */
        LOST,
        /** Not known yet. The same request may be sent again. */
        UNKNOWN
    }

    /** Returns the answer to a request that was carried out. */
    public static LeaseAnswer done() {
        return new LeaseAnswer(Status.DONE, "", 0, null);
    }

    /** Returns the answer to a worker that has its task for so long from now on. */
    public static LeaseAnswer leased(long millis) {
        return new LeaseAnswer(Status.DONE, "", millis, null);
    }

    /** Returns the answer to a worker that asked for the checkpoint. @param value null if there is none */
    public static LeaseAnswer checkpoint(byte @Nullable [] value) {
        return new LeaseAnswer(Status.DONE, "", 0, value);
    }

    /** Returns the answer to a request that cannot be carried out as it is. */
    public static LeaseAnswer invalid(String why) {
        return new LeaseAnswer(Status.INVALID, why, 0, null);
    }

    /** Returns the answer to a worker that does not have the task any more. */
    public static LeaseAnswer lost(String why) {
        return new LeaseAnswer(Status.LOST, why, 0, null);
    }

    /** Returns the answer if nobody can tell yet. */
    public static LeaseAnswer unknown(String why) {
        return new LeaseAnswer(Status.UNKNOWN, why, 0, null);
    }

    @Override
    public String toString() {
        return status + (detail.isEmpty() ? "" : ": " + detail);
    }
}
