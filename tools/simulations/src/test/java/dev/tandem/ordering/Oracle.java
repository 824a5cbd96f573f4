package dev.tandem.ordering;

import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes all that happens in a history, and fails when a guarantee is broken. It checks itself what holds for every
 * kind of source:
 *
 * <ul>
 *   <li><b>Ownership.</b> Nothing is started after a partition was revoked, lost or left.
 *   <li><b>Unknown types</b>, by {@link UnhandledRuns}.
 *   <li><b>Concurrency.</b> No more runs at once than the policy allows.
 * </ul>
 */
abstract class Oracle {

    private record Place(SimProcess process, Partition partition) {}

    private record Lane(Partition partition, String key) {}

    final UnhandledRuns unhandled;
    protected final Simulation simulation;
    private final List<SimTask> tasks = new ArrayList<>();
    private final Map<Lane, List<SimTask>> lanes = new HashMap<>();
    /** Where nothing may start any more. */
    private final Set<Place> barred = new HashSet<>();

    Oracle(Simulation simulation) {
        this.simulation = simulation;
        this.unhandled = new UnhandledRuns(simulation);
    }

    /** @throws AssertionError if it does not hold */
    static void check(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    // ---- tasks ----

    final SimTask publish(Partition partition, @Nullable String key, long offset, long notBefore, boolean unreadable) {
        SimTask task = new SimTask(tasks.size(), partition, key, offset, notBefore, unreadable);
        tasks.add(task);
        if (key != null) {
            lanes.computeIfAbsent(new Lane(partition, key), lane -> new ArrayList<>())
                    .add(task);
        }
        return task;
    }

    final SimTask task(int id) {
        return tasks.get(id);
    }

    final List<SimTask> tasks() {
        return tasks;
    }

    /** Returns the tasks that were published with a key to a partition. */
    final List<SimTask> tasks(Partition partition, String key) {
        return lanes.getOrDefault(new Lane(partition, key), List.of());
    }

    /** An operator changed a log's offsets, or created the topic again. */
    void operated(Partition partition) {}

    /** A log lost its last records. */
    void cut(Partition partition) {}

    /** A cut made nothing void that anybody knows: the incarnation goes on with this log. */
    void goesOn(SimProcess process, Partition partition, List<@Nullable SimTask> log) {}

    // ---- the store ----

    /** A core orders a request. */
    void sends(StoreRequest request) {}

    /** A request is about to be applied. */
    abstract void asked(StoreRequest request, ModelPartition state);

    /** A request was applied as the given write. */
    abstract void applied(long write, StoreRequest request, StoreAnswer answer, ModelPartition state);

    /** All writes from this one on are forgotten. */
    abstract void forgot(long firstWrite, boolean silently);

    /** An answer reaches the process that asked. */
    void answered(SimProcess process, StoreRequest request, StoreAnswer answer) {}

    // ---- a process and its partitions ----

    final void mayStart(SimProcess process, Partition partition) {
        barred.remove(new Place(process, partition));
    }

    final void noStarts(SimProcess process, Partition partition) {
        barred.add(new Place(process, partition));
    }

    /** A log delivers to a process. */
    void delivered(SimProcess process, Partition partition, List<SimTask> delivered) {}

    /** A log's records were read again for a process, which took those that it had passed over and has room for. */
    void recalled(SimProcess process, Partition partition, List<SimTask> records) {}

    /** A process gives back what the store offered, for want of room. */
    void declines(SimProcess process, StoreRequest.DeclineOffers request) {}

    /** The tasks that waited in a process's memory are gone. */
    void forgetsLanes(SimProcess process, Partition partition) {}

    void left(SimProcess process, Partition partition) {}

    abstract void died(SimProcess process);

    void turned(SimProcess process) {
        int running = process.core.running();
        check(
                running >= process.unfinished(),
                () -> process + " says that " + running + " run, but " + process.unfinished() + " do");
    }

    // ---- runs ----

    /** A core orders a start. */
    void starts(SimProcess process, Run run) {
        check(
                !barred.contains(new Place(process, run.partition())),
                () -> process + " starts " + run + " though it is to give up or has lost its partition");
        check(
                process.unfinished() < simulation.plan.policy().concurrency(),
                () -> process + " starts " + run + " though " + process.unfinished() + " are running");
    }

    /** A handler begins. */
    abstract void begins(SimProcess process, Run run);

    /** A run of a cancelled task ends before its handler begins. */
    abstract void leavesOut(SimProcess process, Run run);

    /** A handler ends. */
    abstract void ends(SimProcess process, Run run, Outcome outcome);

    /** Whether tasks of this key have an order. */
    final boolean isOrdered(@Nullable String key) {
        return key != null && simulation.plan.policy().ordered();
    }

    // ---- commits ----

    /** A core orders a commit. @param position behind what it was delivered */
    abstract void commits(SimProcess process, Partition partition, long upTo, long position);

    /** The broker took a commit. */
    static void committed(Partition partition, long before, long upTo) {
        check(upTo >= before, () -> "the commit of " + partition + " falls from " + before + " to " + upTo);
    }

    // ---- the end ----

    /** Returns tasks that have neither ended nor are held by anybody. */
    abstract List<SimTask> lost();

    /** Returns positions that the store holds although no halted key does: they should have ended. */
    abstract List<Position> unfinished();

    /** Whether halted keys hold back a task that the store has: its own, or so many others that no further key starts. */
    final boolean isHalted(ModelPartition state, @Nullable String key) {
        BlockedKey blocked = isOrdered(key) ? state.blocked(key) : null;
        return blocked != null && blocked.reason() == BlockReason.HALTED
                || blocked == null && isOrdered(key) && simulation.hasTooManyHaltedKeys(state);
    }
}
