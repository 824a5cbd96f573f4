package dev.tandem.task;

/** Policy for a key whose head is dead. */
public enum DeadHead {
    /** The key is halted until an operator retries or skips the task. */
    HALT,
    /** The next task of the key may start. */
    SKIP,
    /** All tasks that are in the lane at that moment die too, in order. Later tasks may start. */
    DRAIN
}
