package dev.tandem.ordering;

import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The order, custody and commits of one queue in one process, decided purely: events in, commands out; no I/O, no
 * clock, no threads. One thread calls it.
 *
 * <p>A turn is: {@link #clock}, any number of events, {@link #flush}.
 */
public final class QueueCore {

    private final QueueContext context;
    private final @Nullable RedeliveryResolver resolver;
    private final Map<Partition, PartitionCore> partitions = new HashMap<>();
    /** In the order in which they are flushed. It changes, so that no partition always takes the free slots first. */
    private final ArrayDeque<PartitionCore> turns = new ArrayDeque<>();

    private int withoutRoom;

    /** @param executor unique per process start */
    public QueueCore(Source.Kind kind, QueuePolicy policy, CoreSettings settings, String executor) {
        this(kind, policy, CustodyBounds.DEFAULTS, settings, executor);
    }

    /** @param executor unique per process start */
    public QueueCore(
            Source.Kind kind, QueuePolicy policy, CustodyBounds custody, CoreSettings settings, String executor) {
        this.context = new QueueContext(kind, policy, custody, settings, executor);
        this.resolver = context.resolver();
        if (resolver != null) {
            resolver.deliveries(() -> partitions.values().stream().flatMap(PartitionCore::deliveries));
        }
    }

    /**
     * Begins a turn.
     *
     * @param monotonicMillis elapsed time
     * @param wallMillis epoch time, to tell which tasks are not due yet
     */
    public void clock(long monotonicMillis, long wallMillis) {
        context.clock(monotonicMillis, wallMillis);
    }

    /** Names every partition of the queue, whoever owns it. Any of them may have had a message that is redelivered. */
    public void partitions(Collection<Partition> all) {
        if (resolver != null) {
            resolver.partitions(all);
        }
    }

    /**
     * The broker assigned the partition.
     *
     * @param writer random, the same for this partition until the process ends
     */
    public void assigned(Partition partition, Source.Facts facts, String writer) {
        PartitionCore core = partitions.computeIfAbsent(partition, p -> {
            PartitionCore fresh = new PartitionCore(p, context, writer);
            turns.add(fresh);
            return fresh;
        });
        partitions(Set.of(partition));
        core.assigned(facts);
    }

    /** Takes deliveries in the broker's order. {@code nextSequence} is as in {@link Source.Events#delivered}. */
    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        core(partition).delivered(deliveries, nextSequence);
    }

    /**
     * The log may have been cut at this offset.
     *
     * @return whether something known is void. Then the partition is acquired again, and {@link Commands#rewind} follows
     */
    public boolean cut(Partition partition, long offset) {
        return core(partition).cut(offset);
    }

    /** In a message queue: everything that earlier channels left unacked was delivered. */
    public void caughtUp(Partition partition) {
        core(partition).caughtUp();
    }

    public void committed(Partition partition, long upTo) {
        core(partition).broker().committed(upTo);
    }

    public void commitFailed(Partition partition) {
        core(partition).broker().commitFailed();
    }

    /** Takes records that {@link Commands#recall} asked for. {@code next} is as in {@link Source.Events#recalled}. */
    public void recalled(Partition partition, long id, Collection<Delivery> deliveries, long next) {
        core(partition).recalled(id, deliveries, next);
    }

    /** All records of a log below {@code logStart} were deleted. Those that were to be read again are lost. */
    public void deleted(Partition partition, long id, long logStart) {
        core(partition).overflow().deleted(id, logStart);
    }

    public void recallFailed(Partition partition, long id) {
        core(partition).overflow().recallFailed(id);
    }

    public void confirmed(Partition partition, Source.Facts facts) {
        core(partition).confirmed(facts);
    }

    /** The partition must be given up. Nothing starts any more; {@link Commands#left} follows when all is released. */
    public void revoked(Partition partition) {
        core(partition).revoked();
    }

    /** The partition was given to others, or {@link #revoked} took too long. {@link Commands#left} follows at once. */
    public void lost(Partition partition) {
        core(partition).lost();
    }

    public void answered(StoreRequest request, StoreAnswer answer) {
        boolean resolves = request instanceof StoreRequest.ListKnownPositions
                || request instanceof StoreRequest.ForwardRedeliveries;
        if (resolves && resolver != null) {
            resolver.answered(request, answer);
        } else {
            core(request.partition()).answered(request, answer);
        }
    }

    /** The store link broke or was closed. It may be of a partition that was only {@link Commands#reach reached}. */
    public void storeDown(Partition partition) {
        if (resolver != null) {
            resolver.storeDown(partition);
        }
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.storeDown();
        }
    }

    /** The store can be reached through the partition's link. */
    public void storeUp(Partition partition) {
        if (resolver != null) {
            resolver.storeUp(partition);
        }
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.storeUp();
        }
    }

    /** Another writer changed something in the store that may be due now. */
    public void woken(Partition partition) {
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.woken();
        }
    }

    /** The store has so much room for more tasks of the partition. Until this is called, it has {@link StoreRoom#HALF}. */
    public void storeRoom(Partition partition, StoreRoom room) {
        PartitionCore core = partitions.get(partition);
        if (core != null) {
            core.storeRoom(room);
        }
    }

    public void finished(Run run, Outcome outcome) {
        core(run.partition()).finished(run, outcome);
    }

    /** Cancels matching tasks in memory. No handler is interrupted. @return those found; the store may have one of them by now */
    public List<CancelledTask> cancel(TaskFilter filter) {
        List<CancelledTask> found = new ArrayList<>();
        partitions.values().forEach(core -> core.cancellations().cancel(filter, found));
        return found;
    }

    /** Stops or allows new starts. Active runs go on. */
    public void pauseStarts(boolean paused) {
        stopRows();
        context.slots.pause(paused);
    }

    /** Allows so many starts until this is called again, or {@link #unlimitStarts}. Active runs go on. */
    public void limitStarts(int starts) {
        stopRows();
        context.slots.limit(starts);
    }

    /**
     * Says how many active runs wait for leave to begin, so that others may start in their slots, and bounds the runs.
     *
     * @param waiting of the active runs
     * @param most the most active runs, those that wait included; {@link Integer#MAX_VALUE} for no such bound
     */
    public void waitingRuns(int waiting, int most) {
        context.slots.waiting(waiting, most);
    }

    private void stopRows() {
        turns.forEach(core -> core.rows().stopAll());
    }

    /** Allows starts without a limit again. */
    public void unlimitStarts() {
        context.slots.unlimit();
    }

    /** Tells everything that must be done now. */
    public void flush(Commands out) {
        context.partitions(turns.size());
        int without = 0;
        context.forgetWaits();
        turns.forEach(core -> core.periodic().noteWaits(1));
        for (PartitionCore core : turns) {
            core.periodic().noteWaits(-1);
            core.flush(out);
            core.periodic().noteWaits(1);
            without += core.backPressure().isWithoutRoom() ? 1 : 0;
        }
        withoutRoom = without;
        if (turns.size() > 1) {
            turns.addLast(turns.removeFirst());
        }
        if (resolver != null) {
            resolver.flush(out);
        }
        context.drainArrivals(out::arrived);
        context.drainRecorded(out::recorded);
        context.drainRefused(out::refused);
        context.drainStarts(out::start);
        context.drainEvents(out::report);
    }

    /** Returns the size of the delivered tasks in memory, in bytes. */
    public long bytes() {
        return turns.stream().mapToLong(PartitionCore::bytes).sum();
    }

    /** Bounds the size of the delivered tasks of each partition, beside its policy. @param bytes 0 or more: one with as many pauses */
    public void memoryBound(long bytes) {
        context.memoryBound(bytes);
    }

    /** Says for how long a delivery may stay unacked. A task that runs is adopted long before. */
    public void maxUnacked(long millis) {
        context.maxUnacked(millis);
    }

    /** Returns the monotonic time at which a turn is due without any event; {@link Long#MAX_VALUE} if never. */
    public long nextTurn() {
        long next = Long.MAX_VALUE;
        for (PartitionCore core : turns) {
            next = Math.min(next, core.nextTurn());
        }
        return resolver == null ? next : Math.min(next, resolver.nextTurn());
    }

    /** How many slots are taken: by runs, and by claims on their way. */
    public int running() {
        return context.slots.used();
    }

    /** Whether runs have all slots. Those of claims on their way may come back unused. */
    public boolean areAllSlotsOfRuns() {
        return context.slots.areAllOfRuns();
    }

    /** A task that the broker delivered. @param attempts its starts so far, a run that goes on not counted */
    public record Pending(TaskPlace place, Task task, int attempts) {}

    /** Returns the tasks that the broker delivered and whose ends are not recorded, and that the store does not have, in no order. */
    public Stream<Pending> pending() {
        return partitions.entrySet().stream()
                .flatMap(each -> each.getValue()
                        .deliveries()
                        .filter(entry -> entry.isPending() && entry.hasTask())
                        .map(entry -> new Pending(
                                new TaskPlace(each.getKey(), entry.position()),
                                entry.requireTask(),
                                entry.attempts())));
    }

    /**
     * Reports on an owned partition, and on others that have such tasks; on all if {@link EveryTask} is asked about.
     *
     * @param partition its name; empty if it is not known: then also those are meant whose memory is full, so that they may get one
     * @param withheld as for {@link PartitionReport}
     */
    public List<PartitionReport> report(String partition, TaskFilter filter, String withheld) {
        boolean mayStart = running() < context.policy.concurrency();
        return partitions.values().stream()
                .flatMap(core -> core.backPressure().report(filter, mayStart, withheld))
                .filter(each -> filter instanceof EveryTask
                        || each.partition().equals(partition)
                        || each.hasAny()
                        || partition.isEmpty() && each.memoryFull())
                .toList();
    }

    /** Returns the longest wait of a task that could start, in ms, of each owned partition that has one, by its name. */
    public Map<String, Long> oldestWaits(Map<Partition, List<Run>> atGates) {
        Map<String, Long> waits = new HashMap<>();
        partitions.values().forEach(core -> core.backPressure().addOldestWait(atGates, waits));
        return waits;
    }

    /** Counts the tasks that wait in the log because there is no room for more of their keys. */
    public Overflow overflow() {
        return partitions.values().stream().map(core -> core.overflow().count()).reduce(Overflow.NONE, Overflow::plus);
    }

    /** About how many more tasks could start at once if there were slots. */
    public int waitingStarts() {
        int sum =
                turns.stream().mapToInt(core -> core.periodic().waitingStarts()).sum();
        return Math.min(sum, context.slots.allowed());
    }

    /** In how many owned partitions memory is full, so that nothing is delivered. */
    public int fullPartitions() {
        return (int) partitions.values().stream()
                .filter(core -> core.backPressure().isFull())
                .count();
    }

    /** In how many owned partitions fresh tasks wait because the store has no room, as of the last flush. */
    public int withoutRoom() {
        return withoutRoom;
    }

    /** Whether nothing runs, no outcome waits, and all that was recorded is durable: the process may exit. */
    public boolean idle() {
        return partitions.values().stream().allMatch(PartitionCore::isIdle);
    }

    /** Whether partitions that are not ours are being asked for something. */
    public boolean isResolvingRedeliveries() {
        return resolver != null && resolver.isHoldingBack();
    }

    /** Whether a record was left in the log, to be read again. For the simulation. */
    boolean hasPassedOver(Partition partition) {
        PartitionCore core = partitions.get(partition);
        return core != null && core.overflow().hasPassedOver();
    }

    /** Whether the record at an offset was left in the log, to be read again. For the simulation. */
    boolean isPassedOver(Partition partition, long offset) {
        PartitionCore core = partitions.get(partition);
        return core != null && core.overflow().isPassedOver(offset);
    }

    /** Whether offers of this key are declined for now. For the simulation. */
    boolean declinesOffers(Partition partition, String key) {
        PartitionCore core = partitions.get(partition);
        return core != null && core.overflow().mayHavePassedOverBegun(key);
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
        return partitions.values() + (isResolvingRedeliveries() ? " " + resolver : "");
    }
}
