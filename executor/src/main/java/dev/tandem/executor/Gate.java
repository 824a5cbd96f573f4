package dev.tandem.executor;

import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides for certain tasks whether they may go to their handlers, by what is known of them outside of their partition. A gate
 * hears of a task when it arrives, is asked before each run, and is told of the end of each run that a worker began, before the
 * outcome is recorded. Thread-safe.
 */
interface Gate {

    /** Returns whether this gate has a say about a task. Nothing else is called for other tasks. It must be quick. */
    boolean concerns(Task task);

    /** Takes note that a task has come, on the loop's thread. What is to be asked goes with the next {@link #flush}. */
    default void arrived(Arrival arrival) {}

    /** Sends what is to be asked about tasks that have come. */
    default void flush() {}

    /**
     * Returns whether a run must wait for an answer.
     *
     * @param goOn called on any thread when it need not wait any more; it must not block. Then the gate is asked again
     */
    boolean mustWait(Run run, Runnable goOn);

    /** Returns whether a run that need not wait any more goes to its handler. */
    boolean mayRun(Run run);

    /** Returns whether a run has lost its permit since this gate let it pass, so that its handler must not begin. It must be quick. */
    default boolean hasLost(Run run) {
        return false;
    }

    /** Takes what was answered about a run, when a worker begins it. @return the outcome of a task that does not run, else null */
    @Nullable
    Outcome takeOutcome(Run run);

    /** Returns whether this gate is to hear of the end of a run, though it had no say about its task. It must be quick. */
    default boolean awaitsEnd(Run run) {
        return false;
    }

    /**
     * Hears how a run ended that a worker began.
     *
     * @param then called once, on any thread, when the outcome may be recorded; it must not block
     */
    void ended(Run run, Outcome outcome, Runnable then);

    /** Called when the store has recorded the end of a task with dependencies. A call may be missing. */
    default void recorded(RecordedEnd end) {}

    /** Called when the store has refused the end of a run that asked for it. A call may be missing. */
    default void refused(RefusedEnd end) {}

    /** Names the runs that wait here for long, each with what it waits for, in words for people. */
    default void eachWaiting(BiConsumer<Run, WaitReason> listener) {}

    /** Returns the number of runs that wait and need no slots meanwhile. */
    default int waiting() {
        return 0;
    }

    /** Returns how many runs there may be in this process, those that wait included. */
    default int mostRuns() {
        return Integer.MAX_VALUE;
    }

    /** Returns how many runs there may be in this process, apart from those that wait at gates. */
    default int mostBehind() {
        return Integer.MAX_VALUE;
    }

    /** Ends the wait of all runs that wait here. Their tasks go back without an attempt. */
    default void turnAway() {}

    /** Does the same, also for runs that would have to wait from now on. */
    default void close() {}

    /** Does the same for the runs of a partition that this executor gives up, until {@link #left}. */
    default void leave(Partition partition) {}

    /** Hears that this executor has given up a partition. */
    default void left(Partition partition) {}
}
