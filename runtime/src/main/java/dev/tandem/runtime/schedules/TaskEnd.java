package dev.tandem.runtime.schedules;

/** The end of the task of an earlier firing, as far as it is known. */
enum TaskEnd {
    ENDED,
    /** The task waits, or will be tried again. */
    ALIVE,
    /** Nobody knows it: it waits in its broker, runs for the first time, or ended so long ago that it is forgotten. */
    NOT_FOUND,
    /** The store did not answer. */
    UNKNOWN
}
