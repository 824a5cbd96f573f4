package dev.tandem.ordering.lanes;

/** How far a delivered task is on its way to being settled, as the broker must see it. */
public enum DeliveryState {
    /** The broker has custody. */
    PENDING,
    /** The store took custody with the request {@link TaskEntry#stateNumber}. Settled once that is durable. */
    TAKEN_OVER,
    /**
     * The store reported with the answer to request {@link TaskEntry#stateNumber} that the task is settled. Routed again if
     * the store loses writes.
     */
    REPORTED_SETTLED,
    /** Its success was recorded and answered: settled. */
    SETTLED,
    /** There was no room for it. It stays in the log, and is read again when its lane has room. */
    PASSED_OVER
}
