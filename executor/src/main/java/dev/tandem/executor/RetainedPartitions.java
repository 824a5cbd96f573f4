package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The retained partitions of a queue: the broker does not have them any more, but the store still holds tasks or events of them. They
 * are leased like those of a broker that assigns none, work without a source, and are given up when they are empty. Used
 * by the loop's thread only.
 */
final class RetainedPartitions implements PartitionLeases.Actions {

    private static final long LOOK_MILLIS = 10_000;

    /** The period while partitions are held: they should be given up soon after they are empty. */
    private static final long LOOK_AGAIN_MILLIS = 1_000;

    /** No record will be delivered, so everything below any offset is out of range. */
    private static final Source.Facts FACTS =
            new Source.Facts(Source.Facts.NO_GENERATION, "", Source.Facts.NO_OFFSET, Long.MAX_VALUE);

    private final QueueSpec spec;
    private final LoopSource source;
    private final QueueCore core;
    private final HeldPartitions partitions;
    private final LoopInbox inbox;
    private final PartitionLeases leases;
    private final Set<Partition> held = new HashSet<>();
    private Set<Partition> found = Set.of();
    private long lookedAt;

    RetainedPartitions(
            QueueSpec spec,
            ExecutorContext context,
            LoopSource source,
            QueueCore core,
            HeldPartitions partitions,
            LoopInbox inbox) {
        this.spec = spec;
        this.source = source;
        this.core = core;
        this.partitions = partitions;
        this.inbox = inbox;
        this.leases = new PartitionLeases(
                context.executorId(),
                spec.members(),
                context.timings().leave(),
                this,
                context.clock().millis());
        this.lookedAt = context.clock().millis() - LOOK_MILLIS;
    }

    /** Looks for retained partitions from time to time, holds this process's share, and gives up those that are empty. */
    void check(long nowMillis) {
        if (leases.millisToCheck(nowMillis) > 0) {
            return;
        }
        Collection<Partition> ofBroker = source.partitions();
        if (ofBroker.isEmpty()) {
            return; // The broker cannot be reached, so nobody knows which it still has.
        }
        look(nowMillis, ofBroker);
        for (Partition partition : Set.copyOf(held)) {
            if (ofBroker.contains(partition)) {
                core.lost(partition); // to be held again with its source
            }
        }
        Set<Partition> retained = new HashSet<>(source.isRefused() ? Set.of() : found);
        retained.removeAll(Set.copyOf(ofBroker));
        leases.check(nowMillis, retained, held, heldOf(partitions.owned()));
    }

    private void look(long nowMillis, Collection<Partition> ofBroker) {
        if (nowMillis - lookedAt >= (held.isEmpty() ? LOOK_MILLIS : LOOK_AGAIN_MILLIS)) {
            lookedAt = nowMillis;
            spec.store()
                    .findHeld(
                            spec.name(),
                            ofBroker,
                            now -> inbox.post(() -> {
                                found = Set.copyOf(now);
                                core.partitions(found);
                            }));
        }
    }

    private Set<Partition> heldOf(Set<Partition> all) {
        Set<Partition> ours = new HashSet<>(held);
        ours.retainAll(all);
        return ours;
    }

    /** Returns those of the partitions that have a source. */
    Set<Partition> without(Set<Partition> all) {
        if (held.isEmpty()) {
            return all;
        }
        Set<Partition> others = new HashSet<>(all);
        others.removeAll(held);
        return others;
    }

    /** Whether this process holds the partition without a source. */
    boolean isHeld(Partition partition) {
        return held.contains(partition);
    }

    /** Notes that the partition is about to be held with its source. */
    void assigned(Partition partition) {
        left(partition);
    }

    /** Notes that a partition left. Returns whether it was held without a source. */
    boolean left(Partition partition) {
        boolean retained = held.remove(partition);
        if (retained) {
            leases.left(partition);
        }
        return retained;
    }

    /** Answers in the next turn what a source would: that there is nothing to deliver. */
    void open(Partition partition) {
        inbox.post(() -> {
            if (held.contains(partition)) {
                core.caughtUp(partition);
            }
        });
    }

    /** Answers in the next turn what a source would: that no broker has given the partition to others. */
    void confirm(Partition partition) {
        inbox.post(() -> {
            if (held.contains(partition)) {
                core.confirmed(partition, FACTS);
            }
        });
    }

    // ---- decisions about leases

    @Override
    public void hold(Partition partition) {
        if (!partitions.held().contains(partition)) {
            held.add(partition);
            partitions.hold(partition, FACTS);
        }
    }

    @Override
    public void release(Partition partition) {
        core.revoked(partition);
    }

    @Override
    public void drop(Partition partition) {
        core.lost(partition);
    }
}
