package dev.tandem.server.why;

import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.task.store.HeldAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a key or a task when somebody asks why it does not move.
 *
 * @param key the key that was asked about, or that of the task; null if there is none
 * @param byTask whether a task was asked about, and not a key
 * @param offset the offset of that task, if its name tells; else -1
 * @param task the task that was asked about, by Redis or an executor; null if neither knows it, or a key was asked about
 * @param blocked the key, if it is blocked; null if it is not
 * @param head the task that the key waits for; null if it is not blocked, or nothing is known of that task
 * @param held what executors answered within a second
 * @param claimed what Redis knows of the first task that they hold; null if nothing
 * @param limits the numbers of the limits for which these tasks wait
 * @param live the executors that were seen lately
 * @param home null if it is not known where the key or the task belongs
 * @param inBroker how many messages of the queue are not settled in its broker
 * @param brokerProblem why the broker cannot be reached; null if it can
 * @param lease after which time a dead executor's tasks go on
 * @param pulled whether workers lease the tasks of the queue
 */
public record Facts(
        Instant now,
        @Nullable String key,
        boolean byTask,
        long offset,
        @Nullable TaskFacts task,
        @Nullable KeyInfo blocked,
        @Nullable TaskFacts head,
        HeldAnswer held,
        @Nullable TaskFacts claimed,
        LimitNumbers limits,
        Set<String> live,
        @Nullable PartitionOwner home,
        Pauses pauses,
        long inBroker,
        @Nullable String brokerProblem,
        Duration lease,
        boolean pulled) {}
