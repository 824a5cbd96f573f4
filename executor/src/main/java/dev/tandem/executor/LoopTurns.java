package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The turns of a queue's loop. A turn gives the core the time and the events that came, and carries out what the core
 * decides. Used by the loop's thread only.
 */
final class LoopTurns {

    private static final Logger log = LoggerFactory.getLogger(LoopTurns.class);

    private static final int MAX_EVENTS_PER_TURN = 10_000;

    /** Waits for an event, up to this many milliseconds. */
    @FunctionalInterface
    interface Waiter {
        void await(long maxMillis);
    }

    private final String queue;
    private final QueueCore core;
    private final ExecutorClock clock;
    private final LoopInbox inbox;
    private final HeldPartitions partitions;
    private final CoreCommands commands;
    private final StartLimiter starts;
    private final LoopStatus status;
    /** Null if the source counts what it delivers. */
    private final @Nullable LoopMemory memory;

    private final Queue<Runnable> afterFlush = new ArrayDeque<>();
    private boolean flushing;
    /** Whether the core has been given the time since the poll began. */
    private boolean tickedInPoll;

    LoopTurns(
            String queue,
            QueueCore core,
            ExecutorClock clock,
            LoopInbox inbox,
            HeldPartitions partitions,
            CoreCommands commands,
            StartLimiter starts,
            LoopStatus status,
            @Nullable LoopMemory memory) {
        this.queue = queue;
        this.core = core;
        this.clock = clock;
        this.inbox = inbox;
        this.partitions = partitions;
        this.commands = commands;
        this.starts = starts;
        this.status = status;
        this.memory = memory;
    }

    /** Gives the core the current time. */
    void tick() {
        core.clock(clock.millis(), clock.wallMillis());
    }

    /** A poll of the source begins, which may wait for long before the next event. */
    void pollBegins() {
        tickedInPoll = false;
    }

    /**
     * Tells the core about an event of the source. Usually runs at once. An event that comes while the core flushes,
     * because the source answered a command inside the call, runs in the next turn.
     */
    void tell(Runnable event) {
        if (flushing) {
            afterFlush.add(event);
            return;
        }
        if (!tickedInPoll) {
            tickedInPoll = true;
            tick();
        }
        event.run();
    }

    boolean isFlushing() {
        return flushing;
    }

    void turn() {
        tick();
        for (Runnable event = afterFlush.poll(); event != null; event = afterFlush.poll()) {
            event.run();
        }
        inbox.runEvents(MAX_EVENTS_PER_TURN);
        starts.turn(clock.millis());
        if (memory != null) {
            memory.update(clock.millis());
        }
        flushing = true;
        try {
            core.flush(commands);
        } finally {
            flushing = false;
        }
        commands.flushed(clock.millis(), core.areAllSlotsOfRuns());
        partitions.closeUnusedLinks();
        starts.turned(status);
        status.turned(core.running(), commands.waiting());
    }

    /** Returns the time until the core needs a turn even without an event, at most {@code maxMillis}. */
    long millisToNextTurn(long maxMillis) {
        long next = Math.min(commands.nextTurn(), Math.min(core.nextTurn(), starts.nextTurn()));
        return Math.max(0, Math.min(maxMillis, next - clock.millis()));
    }

    /** Begins to release a partition. */
    void revoke(Partition partition) {
        tick();
        commands.leaves(partition);
        core.revoked(partition);
    }

    /** Turns until the core has flushed and released the partitions. Those that are left at the deadline are lost. */
    void release(Collection<Partition> toRelease, long deadline, Waiter waiter) {
        Set<Partition> remaining = new HashSet<>(toRelease);
        remaining.retainAll(partitions.held());
        remaining.forEach(this::revoke);
        turn();
        remaining.retainAll(partitions.held());
        while (!remaining.isEmpty() && clock.millis() < deadline) {
            waiter.await(millisToNextTurn(deadline - clock.millis()));
            turn();
            remaining.retainAll(partitions.held());
        }
        if (!remaining.isEmpty()) {
            log.warn(
                    "Queue {}: could not release {} in time. Other executors must wait for the end of the leases",
                    queue,
                    PartitionNames.describe(remaining));
            remaining.forEach(core::lost);
            turn();
        }
    }

    /** Gives up partitions that the broker has given to others already. */
    void lose(Collection<Partition> taken) {
        tick();
        List<Partition> lost = new ArrayList<>(taken);
        lost.retainAll(partitions.held());
        if (!lost.isEmpty()) {
            log.warn(
                    "Queue {}: the broker took away {} without waiting for the release",
                    queue,
                    PartitionNames.describe(lost));
        }
        lost.forEach(core::lost);
        // Now, because the broker may assign the same partitions again in this poll.
        turn();
    }
}
