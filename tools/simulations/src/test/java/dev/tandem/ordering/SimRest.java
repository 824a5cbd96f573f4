package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import java.util.List;

/** The end of a history: without faults, everything comes to rest, and nothing is lost. */
final class SimRest {

    /** Fewer tasks must be unfinished after each such time. */
    private static final long PROGRESS_MILLIS = 300_000;

    private final Simulation simulation;

    SimRest(Simulation simulation) {
        this.simulation = simulation;
    }

    void await() {
        long until = simulation.timeline.now() + PROGRESS_MILLIS;
        long unfinished = unfinished();
        long look = 0;
        while (!rested()) {
            look = simulation.timeline.now() + 50;
            while (simulation.timeline.now() < look) {
                Oracle.check(simulation.timeline.step(), this::unrest);
            }
            if (simulation.timeline.now() >= until) {
                long left = unfinished();
                Oracle.check(left < unfinished, this::unrest);
                unfinished = left;
                until = simulation.timeline.now() + PROGRESS_MILLIS;
            }
        }
    }

    private long unfinished() {
        long inBroker = simulation.partitions().stream()
                .mapToLong(partition -> simulation.broker.end(partition) - simulation.broker.startOf(partition))
                .sum();
        return inBroker + simulation.oracle.unfinished().size();
    }

    private boolean rested() {
        if (!simulation.broker.settled()
                || simulation.processes().stream()
                        .anyMatch(process -> process.alive() && (process.leaving() || !process.quiet()))) {
            return false;
        }
        for (Partition partition : simulation.partitions()) {
            if (!isFull(partition) && simulation.broker.startOf(partition) < simulation.broker.end(partition)) {
                return false;
            }
        }
        return simulation.oracle.unfinished().isEmpty() && lost().isEmpty();
    }

    /** Tasks that nobody has custody of, or that wait in the broker without need. */
    private List<SimTask> lost() {
        List<SimTask> lost = simulation.oracle.lost();
        lost.removeIf(task -> task.offset >= simulation.broker.startOf(task.partition) && mayWait(task));
        return lost;
    }

    /** Whether a task may wait in the broker for good. In a log, a full lane holds up only its own key. */
    private boolean mayWait(SimTask task) {
        ModelPartition state = simulation.store.state(task.partition);
        boolean halted = simulation.oracle.isHalted(state, task.key);
        return isFull(task.partition)
                && (simulation.plan.kind() == Source.Kind.QUEUE || halted || keepsFreshBack(state));
    }

    private boolean keepsFreshBack(ModelPartition state) {
        return state.inStore().size() >= simulation.custody.maxTasks() || simulation.hasTooManyHaltedKeys(state);
    }

    /** Halted keys may stop their partition at a bound. */
    private boolean isFull(Partition partition) {
        ModelPartition state = simulation.store.state(partition);
        boolean full = state.parked() >= simulation.plan.policy().maxParkedPerPartition() || keepsFreshBack(state);
        for (StoreAnswer.BlockedKey blocked : state.blocked()) {
            full |= blocked.reason() == StoreAnswer.BlockReason.HALTED
                    && state.lane(blocked.key()).size()
                            >= simulation.plan.policy().maxParkedPerKey();
        }
        return full;
    }

    private String unrest() {
        StringBuilder out = new StringBuilder("The history does not come to rest. Held and unfinished: ");
        out.append(simulation.oracle.unfinished()).append(", lost: ").append(lost());
        for (Partition partition : simulation.partitions()) {
            ModelPartition state = simulation.store.state(partition);
            out.append("\n  ").append(partition).append(" committed ").append(simulation.broker.startOf(partition));
            out.append(" of ")
                    .append(simulation.broker.end(partition))
                    .append(", held ")
                    .append(state.inStore());
            out.append(", claims ").append(state.claims()).append(", blocked ").append(state.blocked());
        }
        for (SimProcess process : simulation.processes()) {
            if (process.alive()) {
                out.append("\n  ")
                        .append(process)
                        .append(process.quiet() ? " quiet " : " busy ")
                        .append(process.core);
            }
        }
        return out.toString();
    }
}
