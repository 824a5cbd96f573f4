package dev.tandem.ordering.requests;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.store.StoreRequest.Move;
import org.jspecify.annotations.Nullable;

/**
 * A hand-over of a task's custody to the store.
 *
 * @param error why the task is dead, where its message does not say so; else null
 * @param blocksOnly whether the store has the task already, so that this moves no custody: an {@link Move.Adopt} that only
 *     blocks the key of a running task
 */
public record PendingHandOver(
        TaskEntry entry, Move move, @Nullable String error, boolean blocksOnly) implements PendingWrite {

    public PendingHandOver(TaskEntry entry, Move move) {
        this(entry, move, null, false);
    }

    /** Returns a burial whose message does not say why the task is dead. */
    public static PendingHandOver buried(TaskEntry entry, String error) {
        return new PendingHandOver(entry, new Move.Bury(), error, false);
    }

    /** Returns what blocks the key of a running task that the store has. */
    public static PendingHandOver blocking(TaskEntry entry) {
        return new PendingHandOver(entry, new Move.Adopt(), null, true);
    }

    public boolean parks() {
        return move instanceof Move.Park;
    }

    public boolean adopts() {
        return move instanceof Move.Adopt;
    }

    public boolean cancels() {
        return move instanceof Move.Cancel;
    }

    /** Whether the task has ended once this is recorded, so that the store does not keep it for a run. */
    public boolean ends() {
        return move instanceof Move.Bury || cancels();
    }

    /** Whether nothing of the key may start or be handed over until this is answered. */
    public boolean holdsLane() {
        return entry.key() != null && !(move instanceof Move.Schedule);
    }

    @Override
    public PendingWrite replacing(PendingWrite older) {
        boolean takesDelivery = older.entry().isTracked() && !entry.isTracked();
        return takesDelivery ? new PendingHandOver(older.entry(), move, error, blocksOnly) : this;
    }
}
