package dev.tandem.ordering.requests;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest.Move;
import org.jspecify.annotations.Nullable;

/**
 * A hand-over of a task's custody to the store.
 *
 * @param error why the task is dead, where its message does not say so; else null
 */
public record PendingHandOver(
        TaskEntry entry, Move move, @Nullable String error) implements PendingWrite {

    public PendingHandOver(TaskEntry entry, Move move) {
        this(entry, move, null);
    }

    public boolean parks() {
        return move instanceof Move.Park;
    }

    public boolean adopts() {
        return move instanceof Move.Adopt;
    }

    /** Whether this only blocks the key of a running task, which the store has already. */
    public boolean blocksOnly() {
        return adopts() && !entry.isTracked();
    }

    /** Whether nothing of the key may start or be handed over until this is answered. */
    public boolean holdsLane() {
        return entry.key() != null && !(move instanceof Move.Schedule);
    }

    @Override
    public PendingWrite replacing(PendingWrite older) {
        boolean takesDelivery = older.entry().isTracked() && !entry.isTracked();
        return takesDelivery ? new PendingHandOver(older.entry(), move, error) : this;
    }
}
