package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.ordering.tracking.LogTracker;
import dev.tandem.task.Partition;
import dev.tandem.task.store.PartitionReport;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pauses the source while memory is full, and says how full it is. */
final class BackPressure {

    private final PartitionState state;
    private final DeferredTasks deferred;

    BackPressure(PartitionState state, DeferredTasks deferred) {
        this.state = state;
        this.deferred = deferred;
    }

    void apply(Commands out) {
        if (!state.gate.isOpened() || state.ownership.isLeft() || state.ownership.isLeaving()) {
            return;
        }
        // Deliveries go on while a key waits for one. Otherwise all would wait for one another.
        boolean awaits = state.broker.isAwaitingOffsets();
        int share = state.gate.isPaused() && !awaits ? 2 : 1;
        boolean full = !state.ownership.isOwned()
                || !state.broker.isAwaitingRedeliveries()
                        && (state.isFull(share) || !awaits && state.isOverBudget(share));
        if (state.gate.pause(full, state.now())) {
            if (full) {
                out.pause(state.partition);
            } else {
                out.resume(state.partition);
            }
        }
    }

    /** Whether memory is full, so that the source delivers nothing. */
    boolean isFull() {
        return state.ownership.isOwned() && state.gate.isPaused();
    }

    /** Whether fresh tasks wait in the broker because the store has no room for more. */
    boolean isWithoutRoom() {
        return state.ownership.isOwned() && !state.room.isLeft();
    }

    /** Reports how the partition is, for people. Empty if it is not owned. @param filter the tasks that they ask about */
    Stream<PartitionReport> report(TaskFilter filter, boolean mayStart, String withheld) {
        if (!state.ownership.isOwned()) {
            return Stream.empty();
        }
        int matching = 0;
        int notDurable = 0;
        long bytes = PartitionReport.NOT_COUNTED;
        if (filter instanceof TaskAt at) {
            matching = isGiven(at) ? 1 : 0;
        } else if (filter instanceof EveryTask) {
            matching = inMemory();
            bytes = bytesInMemory();
        } else {
            for (TaskEntry entry : state.tracker().entries()) {
                if (entry.hasTask() && filter.matches(state.partition, entry.position(), entry.requireTask())) {
                    matching += entry.isPending() ? 1 : 0;
                    notDurable += entry.state() == DeliveryState.TAKEN_OVER ? 1 : 0;
                }
            }
        }
        return Stream.of(new PartitionReport(
                state.partition.name(),
                state.context.executor,
                state.tracker() instanceof LogTracker log ? log.nextOffset() : LogTracker.NO_PREFIX,
                matching,
                notDurable,
                bytes,
                isFull(),
                isWithoutRoom(),
                !state.mayBlockKeys(),
                state.timers.isQuiet() ? state.timers.quietUntil() - state.now() : 0,
                mayStart,
                withheld));
    }

    /** Adds for how long the oldest task has waited that could start, if the partition is owned and one waits. */
    void addOldestWait(Map<Partition, List<Run>> atGates, Map<String, Long> waits) {
        if (state.ownership.isOwned()) {
            long millis = OldestWait.of(state, atGates.getOrDefault(state.partition, List.of()));
            if (millis != OldestWait.NONE) {
                waits.put(state.partition.name(), millis);
            }
        }
    }

    /** Whether the store has offered a task, or it runs: then it goes on with what is here. */
    private boolean isGiven(TaskAt at) {
        return at.partition().equals(state.partition.name()) && deferred.isHere(at.position());
    }

    /**
     * How many tasks wait or run here: those that the broker delivered, until their ends are recorded, and those that the store
     * gave. Its cost grows with the runs only.
     */
    private int inMemory() {
        return state.tracker().pending()
                + state.lanes.offered().count()
                + deferred.offers()
                + (int) otherRuns().count();
    }

    /** The size of the same tasks, in bytes, and of those that the broker delivered and that are kept beyond their ends. */
    private long bytesInMemory() {
        return state.tracker().bytes()
                + state.lanes.offered().bytes()
                + deferred.offeredBytes()
                + otherRuns()
                        .filter(run -> !isWeighedAsDelivered(run.entry()))
                        .mapToLong(run -> run.run().task().weight())
                        .sum();
    }

    /** Runs of tasks that the broker did not deliver to this ownership. */
    private Stream<ActiveRun> otherRuns() {
        return state.active.all().stream().filter(run -> !isCountedAsDelivered(run.entry()));
    }

    private static boolean isCountedAsDelivered(@Nullable TaskEntry entry) {
        return entry != null && entry.isTracked() && entry.isPending();
    }

    private static boolean isWeighedAsDelivered(@Nullable TaskEntry entry) {
        return entry != null && entry.isTracked() && entry.hasTask();
    }

    /** Whether keys wait for a delivery that cannot come before fresh tasks have left memory. */
    boolean mustMakeWayForAwaited() {
        return state.broker.isAwaitingOffsets() && state.isFull(1);
    }
}
