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
 * Which partitions a queue's loop takes and gives up where no broker assigns them. Looks a few times a second; the
 * lease in the store decides. Used by the loop's thread only.
 */
final class Leases {

    private static final long LOOK_MILLIS = 200;

    /** Those who start together are there within that time. */
    private static final long JOIN_MILLIS = 500;

    /** Members send a sign of life every few seconds; by then all have seen a change. */
    private static final long STEADY_MILLIS = 3_000;

    /**
     * Who can't reach its broker, or hangs, keeps its share for so long, and has it from its start: a broker that restarts
     * moves no partitions, and those who start together move them once.
     */
    private static final long UNREACHED_MILLIS = 3_000;

    /** What the loop does about it. */
    interface Hands {

        /** The loop tries to own it from now on. */
        void take(Partition partition);

        /** It is owned, and to be released. */
        void giveUp(Partition partition);

        /** It is not owned yet and need not be, or its release took too long. */
        void drop(Partition partition);
    }

    private final LeaseAssigner assigner;
    private final Supplier<Set<String>> members;
    private final long leaveMillis;
    private final Hands hands;
    private final Map<Partition, Long> leaving = new HashMap<>();
    private long lookAt;
    private volatile long reachedAt;

    Leases(String self, Supplier<Set<String>> members, long leaveMillis, Hands hands, long now) {
        this.assigner = new LeaseAssigner(self, JOIN_MILLIS, STEADY_MILLIS);
        this.members = members;
        this.leaveMillis = leaveMillis;
        this.hands = hands;
        this.reachedAt = now;
    }

    /** Whether this executor is to be counted among those that share the partitions. From any thread. */
    boolean isSharing(long now) {
        return now - reachedAt < UNREACHED_MILLIS;
    }

    /** Something was given up or lost: looks again soon. */
    void changed(Partition partition) {
        leaving.remove(partition);
        lookAt = 0;
    }

    /** How long {@link #look} has nothing to do. */
    long millisToLook(long now) {
        return lookAt - now;
    }

    /**
     * Takes and gives up what is due.
     *
     * @param leasable every partition of the queue; none: the broker can't be reached
     * @param held those that the loop tries to own or owns
     * @param owned those of them whose lease it has
     */
    void look(long now, Collection<Partition> leasable, Set<Partition> held, Set<Partition> owned) {
        if (now < lookAt) {
            return;
        }
        lookAt = now + LOOK_MILLIS;
        if (!leasable.isEmpty()) {
            reachedAt = now;
        }
        LeaseAssigner.Plan plan = assigner.plan(now, leasable, Set.copyOf(owned), members.get());
        for (Partition partition : plan.giveUp()) {
            if (leaving.putIfAbsent(partition, now + leaveMillis) == null) {
                hands.giveUp(partition);
            }
        }
        for (Partition partition : new HashSet<>(held)) {
            if (!owned.contains(partition) && !plan.acquire().contains(partition)) {
                hands.drop(partition);
            }
        }
        for (Partition partition : plan.acquire()) {
            if (!held.contains(partition)) {
                hands.take(partition);
            }
        }
        for (Iterator<Map.Entry<Partition, Long>> all = leaving.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Partition, Long> each = all.next();
            if (now >= each.getValue()) {
                all.remove();
                hands.drop(each.getKey());
            }
        }
    }
}
