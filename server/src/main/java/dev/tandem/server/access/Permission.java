package dev.tandem.server.access;

/** A kind of request to the API. Each route {@link Needs needs} one. */
public enum Permission {
    /** See queues, tasks with their payloads, keys and executors. */
    VIEW,
    /** Publish tasks, and wait for their ends. */
    SUBMIT,
    /** Lease tasks and end them, as a worker does. */
    WORK,
    /** Change tasks, keys, queues and schedules. */
    OPERATE,
    /** Give tasks other payloads. Who may is up to {@link Rights} too. */
    EDIT,
    /** Change who may do what, and what cannot be taken back. */
    ADMINISTER
}
