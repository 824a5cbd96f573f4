package dev.tandem.task.store;

/**
 * What the store answers to a {@link DependencyRequest}.
 *
 * @param state what is known of the task that is waited for
 * @param name its id, for people; empty if nothing is known
 * @param waitedMillis for how long the other one has waited for it
 */
public record DependencyAnswer(State state, String name, long waitedMillis) {

    /** What is known of a task that another one waits for. */
    public enum State {
        /** It has succeeded, after the other one came to wait or before. */
        SUCCEEDED,
        /** It has died, expired or was cancelled. */
        FAILED,
        /** It has not ended. */
        OPEN,
        /** It has not come, or was forgotten. */
        UNKNOWN,
        /** The answer to requests that ask nothing. */
        NOTED
    }

    /** The answer to requests that ask nothing. */
    public static final DependencyAnswer NOTED = new DependencyAnswer(State.NOTED, "", 0);
}
