package dev.tandem.task;

import org.jspecify.annotations.Nullable;

/** The end of a run of a task. What follows has been decided already, by the queue's policy. */
public sealed interface Outcome {

    /** Returns whether the task has ended, so that no further run of it begins unless an operator retries it. */
    boolean isFinal();

    /** Returns the time from now to the next start, in milliseconds; 0 if the task may start at once, or has ended. */
    long delayMillis();

    /** An outcome with which the task has ended. */
    sealed interface Final extends Outcome {
        @Override
        default boolean isFinal() {
            return true;
        }

        @Override
        default long delayMillis() {
            return 0;
        }
    }

    /** An outcome after which the task runs again. */
    sealed interface Again extends Outcome {
        @Override
        default boolean isFinal() {
            return false;
        }
    }

    /** The handler returned. */
    record Succeeded() implements Final {
        public static final Succeeded INSTANCE = new Succeeded();
    }

    /**
     * The attempt failed, and there will be another one.
     *
     * @param delayMillis the time from now to the next start, 0 or more
     * @param error what went wrong, for people; at most {@link Envelope#MAX_ERROR} characters are kept
     */
    record Retry(long delayMillis, String error) implements Again {}

    /** The task is given up: its attempts are used up, its handler rejected it, or it is unreadable. */
    record Dead(String error) implements Final {}

    /**
     * The executor has no handler for the task's type. The task is tried again without spending an attempt, also by other
     * executors.
     *
     * @param since when an executor first had no handler for it, in milliseconds since 1970; kept with the task
     * @param delayMillis the time from now to the next try
     * @param nextTry when that is, in milliseconds since 1970; kept with the task
     * @param error what is missing, for people
     */
    record Unhandled(long since, long delayMillis, long nextTry, String error) implements Again {}

    /**
     * The handler asked to run the task again, or was stopped behind a checkpoint, or the task must wait. It is tried again
     * without spending an attempt.
     *
     * @param delayMillis the time from now to the next start, 0 or more
     * @param slowsDown whether the handler was told to slow down, so that the rate limits of the task pause for as long
     * @param putAside whether operators have paused the task's type or key, so that their resumption makes it due; it is kept
     *     with the task, see {@link PutAside}
     * @param waitsFor what the task waits for; null if its handler asked for it
     */
    record Snoozed(
            long delayMillis,
            boolean slowsDown,
            boolean putAside,
            @Nullable WaitReason waitsFor) implements Again {

        public Snoozed(long delayMillis) {
            this(delayMillis, false);
        }

        public Snoozed(long delayMillis, boolean slowsDown) {
            this(delayMillis, slowsDown, false, null);
        }

        /** Returns the outcome of a task that must wait before its handler may begin. */
        public static Snoozed waitingFor(WaitReason waitsFor, long delayMillis) {
            return new Snoozed(delayMillis, false, false, waitsFor);
        }

        /** Returns the outcome of a task whose type or key is paused. */
        public static Snoozed putAside(long delayMillis) {
            return new Snoozed(delayMillis, false, true, null);
        }
    }

    /**
     * The task's time was over before its handler began, or will be over before its next attempt. It is given up, and its key
     * goes on.
     *
     * @param error how the attempt failed behind which no other one may begin; null if no attempt was made
     */
    record Expired(@Nullable String error) implements Final {}

    /**
     * The task was cancelled before its handler began, or while it ran and did not succeed; or its pull worker discarded it.
     * Its key goes on.
     *
     * @param ran whether the handler had begun
     * @param how for people
     */
    record Cancelled(boolean ran, String how) implements Final {
        public static final Cancelled INSTANCE = new Cancelled(true, "cancelled by an operator while it ran");
        public static final Cancelled BEFORE_RUN = new Cancelled(false, "cancelled by an operator before it ran");

        /** The outcome of a subtask whose fan-out is stopped. */
        public static final Cancelled WITH_FAN_OUT = new Cancelled(false, "cancelled with its fan-out before it ran");

        /** The outcome of a task that its pull worker does not need any more. */
        public static final Cancelled DISCARDED = new Cancelled(true, "discarded by its pull worker");
    }

    /**
     * The task ended as a success of its own kind: without a run, because another task has its deduplication key, or a copy of it
     * has run; or in a run, when it was about to fan out as its copy has.
     *
     * @param of the id of the other task; the task's own if it had succeeded before, or a copy has its id
     */
    record Duplicate(String of) implements Final {}

    /** The handler never started. The task goes back without spending an attempt. */
    record NotStarted() implements Again {
        public static final NotStarted INSTANCE = new NotStarted();

        @Override
        public long delayMillis() {
            return 0;
        }
    }
}
