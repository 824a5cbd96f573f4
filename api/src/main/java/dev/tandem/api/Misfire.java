package dev.tandem.api;

/** The policy for firings that were missed, because no program with the schedule could fire them in time. */
public enum Misfire {
    /** All of them fire as one: the latest of them, or a later one that is in time. */
    ONE,
    /** Each of them fires, the oldest first, up to a bound: of more, the latest. */
    ALL,
    /** None of them fires. */
    NONE
}
