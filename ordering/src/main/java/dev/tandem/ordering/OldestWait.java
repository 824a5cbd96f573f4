package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Task;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Finds out for how long the oldest task of a partition has waited that could start, as far as its owner has it in memory: the first
 * tasks of open keys, those without a key, and runs that wait at gates. Looks at 1,000 of these at most, those that came first.
 */
final class OldestWait {

    private static final int MOST_LOOKED_AT = 1_000;

    /** Stands for the wait of no task. */
    static final long NONE = -1;

    private final PartitionState state;
    private long longest = NONE;

    private OldestWait(PartitionState state) {
        this.state = state;
    }

    /** Returns the milliseconds, or {@link #NONE}. @param atGates runs of the partition whose handlers have not begun */
    static long of(PartitionState state, Collection<Run> atGates) {
        OldestWait oldest = new OldestWait(state);
        state.lanes.forSomeFirst(MOST_LOOKED_AT, oldest::addWaiting);
        atGates.stream().limit(MOST_LOOKED_AT).forEach(oldest::addRun);
        return oldest.longest;
    }

    private void addWaiting(TaskEntry entry) {
        if (entry.hasTask()) {
            add(entry, entry.requireTask(), entry.attempts(), entry.cameAt());
        }
    }

    /** Adds a run that is not over. Its entry may have no task any more, because the store has it. */
    private void addRun(Run run) {
        ActiveRun active = state.active.find(run.position());
        TaskEntry entry = active == null ? null : active.entry();
        if (active != null && entry != null && active.run() == run) {
            add(entry, run.task(), run.attempt() - 1, entry.cameAt() < 0 ? active.startedAt() : entry.cameAt());
        }
    }

    private void add(TaskEntry entry, Task task, int attempts, long cameAt) {
        Long due = attempts > 0 ? null : firstDue(entry, task);
        if (due != null || cameAt >= 0) {
            long waited = due == null ? state.now() - cameAt : state.context.wall() - due;
            longest = Math.max(longest, Math.max(0, waited));
        }
    }

    /**
     * Returns the time from which a task could start that has never started, in epoch milliseconds. Null for one that an operator
     * retries, and for one that waited in the store for something else than its time, which was over when the store gave it.
     */
    private static @Nullable Long firstDue(TaskEntry entry, Task task) {
        boolean retried = task.headers().containsKey(AttemptHistory.HEADER);
        boolean delayed = task.notBefore() > task.publishedAt();
        long due = Math.max(task.publishedAt(), task.notBefore());
        return retried || due <= 0 || !(entry.isTracked() || entry.isInLine() || delayed) ? null : Long.valueOf(due);
    }
}
