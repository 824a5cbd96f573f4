package dev.tandem.executor;

import dev.tandem.ordering.LeaseAssigner;
import dev.tandem.task.Partition;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Decides which partitions a queue's loop leases and gives up, where the broker assigns none. Compares what the loop
 * has with its share several times a second; which executor owns a partition is decided by the store. Used by the
 * loop's thread only, but for {@link #isSharing}.
 */
final class PartitionLeases {

    private static final long CHECK_MILLIS = 200;

    /** Executors that are started together have all joined within this time. */
    private static final long JOIN_MILLIS = 500;

    /** Executors announce themselves every few seconds, so all have seen a change by then. */
    private static final long STEADY_MILLIS = 3_000;

    /**
     * An executor that hangs or cannot reach its broker keeps its share for this long, also at its start. So a short
     * restart of the broker moves no partitions, and executors that are started together move them once.
     */
    private static final long UNREACHED_MILLIS = 3_000;

    /** Carries out the decisions. */
    interface Actions {

        /** Holds a partition: acquires it as soon as the store allows. */
        void hold(Partition partition);

        /** Begins to release an owned partition. */
        void release(Partition partition);

        /** Gives up a partition that is not owned yet, or whose release took too long. */
        void drop(Partition partition);
    }

    private final LeaseAssigner assigner;
    private final Supplier<Set<String>> members;
    private final long leaveMillis;
    private final Actions actions;
    /** The partitions that are being released, each with its deadline. */
    private final Map<Partition, Long> releaseDeadlines = new HashMap<>();

    private long nextCheckAt;
    private volatile long reachedAt;

    /**
     * @param self the id of this executor
     * @param members the ids of all executors that can own partitions of the queue
     * @param leaveMillis how long a release may take
     */
    PartitionLeases(String self, Supplier<Set<String>> members, long leaveMillis, Actions actions, long nowMillis) {
        this.assigner = new LeaseAssigner(self, JOIN_MILLIS, STEADY_MILLIS);
        this.members = members;
        this.leaveMillis = leaveMillis;
        this.actions = actions;
        this.reachedAt = nowMillis;
    }

    /** Returns whether this executor takes its share of the partitions. May be called from any thread. */
    boolean isSharing(long nowMillis) {
        return nowMillis - reachedAt < UNREACHED_MILLIS;
    }

    /** Notes that a partition was released or lost. The next check is due now. */
    void left(Partition partition) {
        releaseDeadlines.remove(partition);
        nextCheckAt = 0;
    }

    /** Returns the time until the next {@link #check}; 0 or less if it is due. */
    long millisToCheck(long nowMillis) {
        return nextCheckAt - nowMillis;
    }

    /**
     * Holds and gives up partitions, if a check is due.
     *
     * @param leasable every partition of the queue; empty if the broker cannot be reached
     * @param held the partitions that the loop owns or tries to own
     * @param owned the held partitions that are acquired
     */
    void check(long nowMillis, Collection<Partition> leasable, Set<Partition> held, Set<Partition> owned) {
        if (nowMillis < nextCheckAt) {
            return;
        }
        nextCheckAt = nowMillis + CHECK_MILLIS;
        if (!leasable.isEmpty()) {
            reachedAt = nowMillis;
        }
        LeaseAssigner.Plan plan = assigner.plan(nowMillis, leasable, Set.copyOf(owned), members.get());
        for (Partition partition : plan.giveUp()) {
            if (releaseDeadlines.putIfAbsent(partition, nowMillis + leaveMillis) == null) {
                actions.release(partition);
            }
        }
        for (Partition partition : new HashSet<>(held)) {
            if (!owned.contains(partition) && !plan.acquire().contains(partition)) {
                actions.drop(partition);
            }
        }
        for (Partition partition : plan.acquire()) {
            if (!held.contains(partition)) {
                actions.hold(partition);
            }
        }
        dropOverdue(nowMillis);
    }

    private void dropOverdue(long nowMillis) {
        for (Iterator<Map.Entry<Partition, Long>> all =
                        releaseDeadlines.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<Partition, Long> release = all.next();
            if (nowMillis >= release.getValue()) {
                all.remove();
                actions.drop(release.getKey());
            }
        }
    }
}
