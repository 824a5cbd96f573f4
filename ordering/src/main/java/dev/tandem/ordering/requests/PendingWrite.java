package dev.tandem.ordering.requests;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;

/** One thing to be recorded in the store, kept until it is durable where custody depends on it. */
public sealed interface PendingWrite permits PendingOutcome, PendingHandOver {

    /** The task that it is about. */
    TaskEntry entry();

    default Position position() {
        return entry().position();
    }

    /**
     * Returns the write that replaces an older one of the same position. If only the older one is about the task's delivery,
     * the result is about that delivery too, for the delivery's state depends on this write now.
     */
    PendingWrite replacing(PendingWrite older);
}
