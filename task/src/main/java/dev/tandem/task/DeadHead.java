package dev.tandem.task;

/** What becomes of a key when the task at its head is dead. */
public enum DeadHead {
    /** The key stops until an operator retries or skips the task. */
    HALT,
    /** The next task of the key goes on. */
    SKIP,
    /** All tasks that are in the lane at that moment die too, in order; later ones go on. */
    DRAIN
}
