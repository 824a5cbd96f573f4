package dev.tandem.task.store;

/** The kinds of limits whose numbers operators change. */
public enum LimitKind {
    /** How many tasks run at once. */
    PERMITS,
    /** How many tasks begin in a time. */
    RATE
}
