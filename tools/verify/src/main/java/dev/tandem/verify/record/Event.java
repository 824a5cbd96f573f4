package dev.tandem.verify.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened. Times are {@link System#nanoTime()}: on Linux the host's monotonic clock, the same for all
 * processes of one machine, so events of several files can be put into one order.
 *
 * <p>A {@code process} is the name of one process start, never used again.
 */
public sealed interface Event {

    /** When, by the host's monotonic clock in nanoseconds. */
    long at();

    /**
     * A trial begins: all that a judge must know besides what happens in it.
     *
     * @param version of Tandem
     * @param seed that repeats it
     * @param leaseMillis of its executors
     * @param lenienceMillis how much longer than else waits may be while nothing is wrong
     * @param brokers that it used
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
     * The broker acknowledged a task.
     *
     * @param key its ordering key; null for none
     * @param partition of the log; -1 if unknown
     * @param sequence where it stands among its partition's tasks: a log's offset, else the order of publishing
     * @param sentAt when it was given to the publisher
     * @param dueAt earliest start; 0 for one that is due at once
     */
    record Published(long at, String id, @Nullable String key, int partition, long sequence, long sentAt, long dueAt)
            implements Event {}

    /** A task was not acknowledged: it may have arrived all the same. */
    record Unacknowledged(long at, String id, @Nullable String key) implements Event {}

    /**
     * A handler begins.
     *
     * @param token the fencing token
     * @param attempt 1 at the first start
     * @param leaseUntil until when its process believes in the claim, unless it is renewed
     * @param partition whose owner made the claim; -1 if unknown
     * @param epoch of that ownership; 0 if unknown
     * @param claimedAt when the claim was asked for; 0 if unknown
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

    /** The store told a process that it owns a partition from now on, under an epoch. */
    record Acquired(long at, String process, int partition, long epoch) implements Event {}

    /** The claim of a running task was seen to be renewed. */
    record LeaseRenewed(long at, String process, String id, long token, long leaseUntil) implements Event {}

    /** A handler ends. Its outcome is not recorded yet at this moment. */
    record RunFinished(long at, String process, String id, long token, Ending ending) implements Event {}

    /** How a handler ended. */
    enum Ending {
        SUCCEEDED,
        /** To be tried again. */
        FAILED,
        /** It was the last attempt, or the handler gave the task up. */
        DEAD,
        /** Interrupted because its process ends: no attempt is spent. */
        STOPPED
    }

    /**
     * What broker and store said of a queue: first the broker was asked, then the store.
     *
     * @param at when the store had answered
     * @param committed by partition of a log; empty if the broker has no such thing, or did not say
     * @param held ids of the tasks whose envelope the store has, unended
     * @param dead ids of the tasks that the store keeps as dead
     */
    record Audit(long at, List<Long> committed, List<String> held, List<String> dead) implements Event {}

    /**
     * The end of a trial: nothing more is published, all executors have had time.
     *
     * @param backlog messages or offsets that the broker had not got back; -1 if it did not say
     */
    record TrialClosed(long at, long backlog) implements Event {}

    /** A process was started. */
    record ProcessStarted(long at, String process) implements Event {}

    /**
     * A process is dead for sure.
     *
     * @param killed by force; else it was asked to leave and did
     */
    record ProcessEnded(long at, String process, boolean killed) implements Event {}

    /** A process was asked to leave. */
    record LeaveRequested(long at, String process) implements Event {}

    /** A process gets no processor time from about now on. */
    record ProcessFrozen(long at, String process) implements Event {}

    /** It goes on. */
    record ProcessThawed(long at, String process) implements Event {}

    /** A process did nothing from {@code since} on, though it had something to do: the machine, or its own memory, kept it. */
    record ProcessStalled(long at, String process, long since) implements Event {}

    /** The clock of epoch time of a process is so much ahead of the machine's from now on; below 0: behind it. */
    record ClockSet(long at, String process, long aheadMillis) implements Event {}

    /** The way of a process to something is closed from now on. */
    record ConnectionCut(long at, String process, Server link) implements Event {}

    /** It is open again. */
    record ConnectionHealed(long at, String process, Server link) implements Event {}

    /** What a process is connected to. */
    enum Server {
        STORE,
        BROKER
    }

    /** A server that all processes use does not answer from about now on. */
    record ServerDown(long at, Server link) implements Event {}

    /** It answers again. */
    record ServerUp(long at, Server link) implements Event {}

    /** The store came back without what was written after {@code since}. */
    record WritesLost(long at, long since) implements Event {}

    /**
     * A fault begins.
     *
     * @param round counts the injections of one trial, from 1
     * @param targets the processes that it is about; empty if it is about a server
     */
    record FaultBegan(long at, String fault, int round, List<String> targets) implements Event {}

    /**
     * The cause is gone; its consequences need not be.
     *
     * @param hits what the fault itself counted (writes that were forgotten or refused); -1 if that shows in other
     *     events
     */
    record FaultEnded(long at, String fault, int round, long hits) implements Event {}
}
