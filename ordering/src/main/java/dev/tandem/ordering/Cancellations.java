package dev.tandem.ordering;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tasks in memory that an operator has cancelled. Those that are claimed end without a run. The others end in the store at once,
 * wherever they are in the order of their keys: a task that never runs overtakes none.
 */
final class Cancellations {

    private final PartitionState state;
    /** Neither claimed nor on their way to the store, as far as is known. */
    private final Set<TaskEntry> waiting = new LinkedHashSet<>();

    Cancellations(PartitionState state) {
        this.state = state;
    }

    /** Cancels the tasks that match, and adds them to those that were found. */
    void cancel(TaskFilter filter, List<CancelledTask> found) {
        List<TaskEntry> matching = new ArrayList<>();
        for (TaskEntry entry : state.tracker().entries()) {
            boolean waits = entry.isPending() && entry.hasTask() && !entry.isInStore();
            if (waits && filter.matches(state.partition, entry.position(), entry.requireTask())) {
                matching.add(entry);
            }
        }
        for (TaskEntry entry : matching) {
            state.rows.stop(entry.key());
            if (!state.active.contains(entry.position())) {
                entry.cancel();
                waiting.add(entry);
                found.add(new CancelledTask(state.partition, entry.position(), null));
            }
        }
        for (ActiveRun active : state.active.all()) {
            Run run = active.run();
            if (filter.matches(state.partition, run.position(), run.task())) {
                run.cancel();
                TaskEntry entry = active.entry();
                if (entry != null) {
                    // The run may be given back before its worker looks.
                    entry.cancel();
                }
                found.add(new CancelledTask(state.partition, run.position(), run));
            }
        }
    }

    /** Takes in a cancelled task that is routed again. */
    void again(TaskEntry entry) {
        waiting.add(entry);
    }

    /** Hands over what need not be claimed first. */
    void handOver() {
        if (waiting.isEmpty() || state.timers.isQuiet() || !state.timers.mayHandOver()) {
            return;
        }
        for (Iterator<TaskEntry> each = waiting.iterator(); each.hasNext(); ) {
            TaskEntry entry = each.next();
            if (entry.state() != DeliveryState.PENDING || state.active.contains(entry.position())) {
                each.remove();
            } else if (isSurelyUnknown(entry) && state.lanes.takeOut(entry)) {
                state.work.handOver(entry, new Move.Cancel(record(entry)));
                Lane lane = state.lanes.find(entry.key());
                if (lane != null) {
                    state.lanes.touch(lane);
                }
            }
        }
    }

    /** Whether nobody can have begun the task. Otherwise its claim tells. */
    private boolean isSurelyUnknown(TaskEntry entry) {
        Lane lane = state.lanes.find(entry.key());
        boolean heads = lane != null && lane.isHead(entry.position());
        return !heads
                && !entry.isDoubtful()
                && !entry.isAdoptFirst()
                && !state.otherClaims.contains(entry.position())
                && !state.late.mayHaveSettled(entry.position());
    }

    private SuccessRecord record(TaskEntry entry) {
        Task task = entry.requireTask();
        return new SuccessRecord(
                task.id(),
                task.type(),
                task.key(),
                entry.attempts(),
                state.context.wall(),
                0,
                SuccessRecord.OPERATOR,
                AttemptHistory.text(task),
                TaskEnd.CANCELLED);
    }

    void clear() {
        waiting.clear();
    }
}
