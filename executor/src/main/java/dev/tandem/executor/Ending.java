package dev.tandem.executor;

/** How a handler left its attempt, before any policy looks at it. */
sealed interface Ending {

    record Returned(Result result) implements Ending {}

    record Threw(Throwable failure) implements Ending {}

    /** Interrupted at its timeout; whatever it returned or threw then does not count. */
    record TimedOut(long millis) implements Ending {}

    /** Interrupted because the process ends, or never begun. */
    record Stopped() implements Ending {}
}
