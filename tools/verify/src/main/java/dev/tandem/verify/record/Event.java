package dev.tandem.verify.record;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry in the history of a trial. Times are {@link System#nanoTime()}. On Linux that is the host's monotonic clock,
 * the same for all processes, so the events of several files can be merged into one order.
 *
 * <p>A {@code process} is the name of one process start. Names are never reused.
 *
 * <p>Recorded as a JSON object; the member {@code event} has the name of the record.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "event")
public sealed interface Event {

    /** Returns when the event happened, in nanoseconds of the host's monotonic clock. */
    long at();

    /** A server that executors are connected to. */
    enum Server {
        STORE,
        BROKER
    }

    /** How a handler ended. */
    enum Ending {
        SUCCEEDED,
        /** Failed, and the task will be tried again. */
        FAILED,
        /** Failed for good: it was the last attempt, or the handler gave the task up. */
        DEAD,
        /** Interrupted because the process is shutting down. No attempt is spent. */
        STOPPED
    }

    // ---- the trial

    /**
     * The start of a trial, with what the checker must know besides the other events.
     *
     * @param version version of Tandem
     * @param seed repeats the trial
     * @param leaseMillis lease of the executors
     * @param lenienceMillis how much longer than usual tasks may wait while no fault is active
     * @param perSecond tasks published per second
     * @param brokers the products that the trial used
     */
    record TrialOpened(
            long at,
            String version,
            String fault,
            String workload,
            long seed,
            long leaseMillis,
            long lenienceMillis,
            int executors,
            int perSecond,
            int partitions,
            List<String> brokers)
            implements Event {}

    /**
     * The end of a trial: publishing has stopped, and all executors have left.
     *
     * @param backlog messages or offsets that the broker still has; -1 if it did not answer
     */
    record TrialClosed(long at, long backlog) implements Event {}

    /**
     * The tasks of a queue that broker and store hold. The broker is asked first, then the store.
     *
     * @param at when the store had answered
     * @param committed committed offsets by partition; empty if the broker keeps none
     * @param held ids of unfinished tasks in the store
     * @param dead ids of dead tasks in the store
     */
    record Audit(long at, List<Long> committed, List<String> held, List<String> dead) implements Event {}

    /**
     * What the store keeps, at the end of a trial, of tasks that ended otherwise than by their handlers.
     *
     * @param ends of all partitions
     */
    record EndsKept(long at, List<KeptEnd> ends) implements Event {}

    /**
     * The end of a task that expired or was cancelled.
     *
     * @param kind {@value #EXPIRED} or {@value #CANCELLED}
     * @param endedAt by the clock of events, to a millisecond
     */
    record KeptEnd(String id, String kind, long endedAt) {
        public static final String EXPIRED = "expired";
        public static final String CANCELLED = "cancelled";
    }

    /** An operator's request to cancel a task was confirmed. @param askedAt when it was made */
    record CancelConfirmed(long at, String id, long askedAt) implements Event {}

    /**
     * An event of a task came, as other programs get it.
     *
     * @param eventId the same for each copy
     * @param kind {@code succeeded}, {@code dead}, {@code expired} or {@code cancelled}
     * @param id the task's id
     * @param key the task's key; null for none
     * @param partition the task's partition
     * @param sequence the event's number in that partition
     * @param duplicateOf the task of which this one was a duplicate; null if it was none
     */
    record TaskEventCame(
            long at,
            String eventId,
            String kind,
            String id,
            @Nullable String key,
            String partition,
            long sequence,
            @Nullable String duplicateOf)
            implements Event {}

    /**
     * All events of tasks that were published before the end of the trial have come.
     *
     * @param stuck of how many partitions the store had events to publish all the time, from the end of the load on
     * @param left bytes of the events that the store still has
     */
    record TaskEventsRead(long at, int stuck, long left) implements Event {}

    /** Events of tasks were dropped before they could be published. @param count how many */
    record TaskEventsDropped(long at, String process, long count) implements Event {}

    /** No process fires instants of the schedule from about now on. */
    record ScheduleStopped(long at) implements Event {}

    // ---- publishing

    /**
     * A task that the broker acknowledged.
     *
     * @param key ordering key; null for none
     * @param partition partition of the log; -1 if unknown
     * @param sequence place among the tasks of its partition: the offset in a log, otherwise the order of publishing
     * @param sentAt when the task was given to the publisher
     * @param dueAt earliest start; 0 if the task is due at once
     */
    record Published(long at, String id, @Nullable String key, int partition, long sequence, long sentAt, long dueAt)
            implements Event {}

    /** A task that the broker did not acknowledge. It may have arrived nevertheless. */
    record Unacknowledged(long at, String id, @Nullable String key) implements Event {}

    // ---- executors

    /** The store made a process the owner of a partition. */
    record Acquired(long at, String process, int partition, long epoch) implements Event {}

    /**
     * The start of a handler.
     *
     * @param token fencing token of the claim
     * @param attempt 1 at the first start
     * @param leaseUntil end of the claim's lease as the process knows it
     * @param partition partition under whose ownership the claim was made; -1 if unknown
     * @param epoch epoch of that ownership; 0 if unknown
     * @param claimedAt when the claim was requested; 0 if unknown
     */
    record RunStarted(
            long at,
            String process,
            String id,
            @Nullable String key,
            long token,
            int attempt,
            long leaseUntil,
            int partition,
            long epoch,
            long claimedAt)
            implements Event {}

    /** The claim of an active run was renewed. */
    record LeaseRenewed(long at, String process, String id, long token, long leaseUntil) implements Event {}

    /** The end of a handler. Its outcome is not recorded in the store yet. */
    record RunFinished(long at, String process, String id, long token, Ending ending) implements Event {}

    /**
     * A handler got the checkpoint of its task.
     *
     * @param askedAt when it asked for it
     * @param value 0 if there was none
     */
    record CheckpointRead(long at, long askedAt, String process, String id, long token, int value) implements Event {}

    /** The store has a checkpoint. @param value the number of the step behind which it was saved, from 1 */
    record CheckpointSaved(long at, String process, String id, long token, int value) implements Event {}

    /** A final task was given the result of its fan-out. */
    record FanOutResulted(
            long at,
            String process,
            String id,
            String state,
            long subtasks,
            long succeeded,
            long failed,
            long cancelled)
            implements Event {}

    /** A process did no work from {@code since} on, because the machine or a garbage collection stopped it. */
    record ProcessStalled(long at, String process, long since) implements Event {}

    /** A server took longer than usual to answer, from {@code since} on, although no fault affects it. */
    record ServerStalled(long at, Server server, long since) implements Event {}

    /** The wall clock of a process was set to run ahead of the machine's, or behind it if negative. */
    record ClockSet(long at, String process, long aheadMillis) implements Event {}

    // ---- what is done to processes

    /** A process has started. */
    record ProcessStarted(long at, String process) implements Event {}

    /** A process was asked to leave. */
    record LeaveRequested(long at, String process) implements Event {}

    /**
     * A process has ended.
     *
     * @param killed whether it was killed; otherwise it left when it was asked to
     */
    record ProcessEnded(long at, String process, boolean killed) implements Event {}

    /** A process is stopped (SIGSTOP) from about now on. */
    record ProcessFrozen(long at, String process) implements Event {}

    /** A frozen process continues (SIGCONT). */
    record ProcessThawed(long at, String process) implements Event {}

    /** The connections from a process to a server are blocked from now on. */
    record ConnectionCut(long at, String process, Server server) implements Event {}

    /** The connections from a process to a server work again. */
    record ConnectionHealed(long at, String process, Server server) implements Event {}

    // ---- what is done to servers

    /** A server that all processes use does not answer from about now on. */
    record ServerDown(long at, Server server) implements Event {}

    /** A server answers again. */
    record ServerUp(long at, Server server) implements Event {}

    /** The store came back without the writes made after {@code since}. */
    record WritesLost(long at, long since) implements Event {}

    // ---- faults

    /**
     * The start of a fault.
     *
     * @param round counts the injections of one trial, from 1
     * @param targets the affected processes; empty if the fault affects a server
     */
    record FaultBegan(long at, String fault, int round, List<String> targets) implements Event {}

    /**
     * The end of a fault's cause. Its effects may last longer.
     *
     * @param hits lost or refused writes that the fault itself counted; -1 if its effect shows in other events
     */
    record FaultEnded(long at, String fault, int round, long hits) implements Event {}
}
