package dev.tandem.executor;

import dev.tandem.api.Result;

/** How an attempt ended, before the queue's policy decides what follows. */
sealed interface AttemptEnd {

    record Returned(Result result) implements AttemptEnd {}

    record Threw(Throwable failure) implements AttemptEnd {}

    /** The handler was interrupted at its timeout. Its result or exception does not count. */
    record TimedOut(long timeoutMillis) implements AttemptEnd {}

    /** The handler was interrupted because its task was cancelled, and did not succeed all the same. */
    record Cancelled() implements AttemptEnd {}

    /** Its pull worker says that it has failed. @param delayMillis until the next attempt; -1 for what the queue says */
    record Failed(String error, long delayMillis) implements AttemptEnd {}

    /** Its pull worker did nothing within its lease: it died, or was cut off. */
    record Lapsed(String how) implements AttemptEnd {}

    /** Its pull worker does not need the task any more. */
    record Discarded() implements AttemptEnd {}

    /** A copy of its task runs or ran, and has done what this one was to do. @param of the id of the task */
    record Duplicate(String of) implements AttemptEnd {}

    /** The handler was interrupted because the process ends, or was never called. */
    record Stopped() implements AttemptEnd {}
}
