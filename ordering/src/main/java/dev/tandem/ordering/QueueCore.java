package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The order, custody and commits of one queue in one process, decided purely: events in, commands out; no I/O, no
 * clock, no threads. One thread calls it.
 *
 * <p>A turn is: {@link #clock}, any number of events, {@link #flush}.
 */
public final class QueueCore {

    private final QueueContext shared;
    private final Map<Partition, PartitionCore> partitions = new HashMap<>();
    /** Flushed in turns, so that no partition always takes the free slots first. */
    private final ArrayDeque<PartitionCore> turns = new ArrayDeque<>();

    /** @param executor unique per process start */
    public QueueCore(Source.Kind kind, QueuePolicy policy, CoreSettings settings, String executor) {
        this.shared = new QueueContext(kind, policy, settings, executor);
    }

    /** Begins a turn. @param monotonicMillis elapsed time @param wallMillis epoch time, for what is not due yet */
    public void clock(long monotonicMillis, long wallMillis) {
        shared.now = monotonicMillis;
        shared.wall = wallMillis;
    }

    /** Every partition of a queue, whoever owns it: one of them had what comes again. */
    public void partitions(Collection<Partition> all) {
        if (shared.recalls != null) {
            shared.recalls.partitions(all);
        }
    }

    /** The broker assigned it. @param writer random, the same for this partition until the process ends */
    public void assigned(Partition partition, Source.Facts facts, String writer) {
        PartitionCore core = partitions.computeIfAbsent(partition, p -> {
            PartitionCore fresh = new PartitionCore(p, shared, writer);
            turns.add(fresh);
            return fresh;
        });
        partitions(Set.of(partition));
        core.assigned(facts);
    }

    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        core(partition).delivered(deliveries, nextSequence);
    }

    /** A queue: all that earlier channels left unacked was delivered. */
    public void caughtUp(Partition partition) {
        core(partition).caughtUp();
    }

    public void committed(Partition partition, long upTo) {
        core(partition).committed(upTo);
    }

    public void commitFailed(Partition partition) {
        core(partition).commitFailed();
    }

    public void confirmed(Partition partition, Source.Facts facts) {
        core(partition).confirmed(facts);
    }

    /** To be given up: nothing starts any more. {@link Commands#left} follows when all is flushed and released. */
    public void revoked(Partition partition) {
        core(partition).revoked();
    }

    /** Given to others already, or {@link #revoked} took too long. {@link Commands#left} follows at once. */
    public void lost(Partition partition) {
        core(partition).lost();
    }

    public void answered(StoreRequest request, StoreAnswer answer) {
        boolean recalls = request instanceof StoreRequest.ListKnownPositions
                || request instanceof StoreRequest.ForwardRedeliveries;
        if (recalls && shared.recalls != null) {
            shared.recalls.answered(request, answer);
        } else {
            core(request.partition()).answered(request, answer);
        }
    }

    /** The way to the store broke, or was closed. Also of a partition that was only {@link Commands#reach reached}. */
    public void storeDown(Partition partition) {
        if (shared.recalls != null) {
            shared.recalls.storeDown(partition);
        }
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.storeDown();
        }
    }

    public void storeUp(Partition partition) {
        if (shared.recalls != null) {
            shared.recalls.storeUp(partition);
        }
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.storeUp();
        }
    }

    public void woken(Partition partition) {
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.woken();
        }
    }

    public void finished(Run run, Outcome outcome) {
        core(run.partition()).finished(run, outcome);
    }

    /** No new starts while true; running ones go on. */
    public void pauseStarts(boolean paused) {
        shared.slots.pause(paused);
    }

    /** Emits all that is to be done now. */
    public void flush(Commands out) {
        for (PartitionCore core : turns) {
            core.flush(out);
        }
        if (turns.size() > 1) {
            turns.addLast(turns.removeFirst());
        }
        if (shared.recalls != null) {
            shared.recalls.flush(out);
        }
        for (Run run : shared.starts) {
            out.start(run);
        }
        shared.starts.clear();
    }

    /** The monotonic time at which a turn is due without any event; {@link Long#MAX_VALUE} if none. */
    public long nextTurn() {
        long next = Long.MAX_VALUE;
        for (PartitionCore core : turns) {
            next = Math.min(next, core.nextTurn());
        }
        return shared.recalls == null ? next : Math.min(next, shared.recalls.nextTurn());
    }

    /** Handlers running now. */
    public int running() {
        return shared.slots.used();
    }

    /** Whether nothing runs, no outcome waits, and all that was recorded is durable: the process may exit. */
    public boolean idle() {
        return partitions.values().stream().allMatch(PartitionCore::idle);
    }

    /** Whether partitions that are not ours are being asked for something. */
    public boolean isRecalling() {
        return shared.recalls != null && shared.recalls.isHolding();
    }

    private PartitionCore core(Partition partition) {
        PartitionCore core = partitions.get(partition);
        if (core == null) {
            throw new IllegalStateException("The partition " + partition + " was never assigned");
        }
        return core;
    }

    @Override
    public String toString() {
        return partitions.values() + (isRecalling() ? " " + shared.recalls : "");
    }
}
