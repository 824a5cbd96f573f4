package dev.tandem.task;

/** How one run of a task ended, with what follows already decided by the queue's policy. */
public sealed interface Outcome {

    /** The handler returned. */
    record Succeeded() implements Outcome {
        public static final Succeeded INSTANCE = new Succeeded();
    }

    /**
     * The attempt failed and there will be another.
     *
     * @param delayMillis from now to the next start, 0 or more
     * @param error what went wrong, for people; bounded by {@link Envelope#MAX_ERROR}
     */
    record Retry(long delayMillis, String error) implements Outcome {}

    /** The task is given up: attempts used up, rejected by its handler, or unreadable. */
    record Dead(String error) implements Outcome {}

    /** The handler never started; the task goes back without spending an attempt. */
    record NotStarted() implements Outcome {
        public static final NotStarted INSTANCE = new NotStarted();
    }
}
