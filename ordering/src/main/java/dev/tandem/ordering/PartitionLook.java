package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.task.Partition;

/**
 * An owned partition at one moment, for people who ask why some of its tasks do not move.
 *
 * @param readTo the offset behind all that was delivered; -1 if it is not known
 * @param matching how many of the tasks that were asked about were delivered, and have not ended
 * @param notDurable how many of them the store has taken over, but not provably for good
 * @param memoryFull whether the source delivers nothing, because memory is full
 * @param withoutRoom whether the store has no room for more tasks
 * @param keysAtBound whether no task of a further key starts, because so many keys are blocked
 * @param quietMillis the rest of the quiet period; 0 if there is none
 */
public record PartitionLook(
        Partition partition,
        long readTo,
        int matching,
        int notDurable,
        boolean memoryFull,
        boolean withoutRoom,
        boolean keysAtBound,
        long quietMillis) {

    static PartitionLook of(PartitionState state, BackPressure pressure, TaskFilter filter) {
        int matching = 0;
        int notDurable = 0;
        for (TaskEntry entry : state.tracker().entries()) {
            if (entry.hasTask() && filter.matches(state.partition, entry.position(), entry.requireTask())) {
                matching += entry.isPending() ? 1 : 0;
                notDurable += entry.state() == DeliveryState.TAKEN_OVER ? 1 : 0;
            }
        }
        return new PartitionLook(
                state.partition,
                state.tracker() instanceof LogTracker log ? log.nextOffset() : LogTracker.NO_PREFIX,
                matching,
                notDurable,
                pressure.isFull(),
                pressure.isWithoutRoom(),
                !state.mayBlockKeys(),
                state.timers.isQuiet() ? state.timers.quietUntil() - state.now() : 0);
    }
}
