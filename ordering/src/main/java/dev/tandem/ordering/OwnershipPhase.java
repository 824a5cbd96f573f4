package dev.tandem.ordering;

/** How far a process is with a partition. */
enum OwnershipPhase {
    /** Ours by the broker; to be confirmed where needed, then acquired, when the store can be reached. */
    WAITING,
    /** The broker is being asked whether it is still ours. */
    CONFIRMING,
    ACQUIRING,
    OWNED,
    /** Being given up: what is answered is flushed, then the lease is released. */
    LEAVING,
    /** Not ours. Runs that it started go on under their claims. */
    LEFT
}
