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

    /** The handler was interrupted because the process ends, or was never called. */
    record Stopped() implements AttemptEnd {}
}
