package dev.tandem.ordering;

import static dev.tandem.ordering.Oracle.check;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.ModelPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a log's tasks are not lost: a committed offset's task has succeeded (recorded at some time), or the store
 * holds it even if it forgets all that it may forget. Commits do not pass what was delivered.
 */
final class LogCustody {

    private final Simulation simulation;
    private final LogBooks books;

    LogCustody(Simulation simulation, LogBooks books) {
        this.simulation = simulation;
        this.books = books;
    }

    void commits(SimProcess process, Partition partition, long upTo, long position) {
        check(upTo <= position, () -> process + " commits " + upTo + " but was given only up to " + position);
        ModelPartition sure = simulation.store.sure(partition);
        ConsumedPartition known = process.consumed.get(partition);
        List<@Nullable SimTask> log = known.log == null ? simulation.broker.log(partition) : known.log;
        long incarnation = simulation.store.state(partition).incarnation();
        long from = known.start < 0 && !simulation.cuts.mayGetLateCommits(partition)
                ? simulation.broker.committed(partition)
                : SimCuts.readFrom(known);
        for (long offset = Math.max(0, from); offset < upTo; offset++) {
            SimTask task = log.get((int) offset);
            if (task != null && !task.recordGone && !task.succeeded && !isHeld(partition, sure, task)) {
                throw new AssertionError(process + " commits " + partition + " up to " + upTo + ", but " + task + " at "
                        + offset + " has not succeeded and is not sure to be held; incarnation " + incarnation
                        + ", surely held " + sure.inStore() + ", dead " + sure.dead());
            }
        }
    }

    private boolean isHeld(Partition partition, ModelPartition state, SimTask task) {
        for (Map.Entry<Long, List<@Nullable SimTask>> entry :
                books.book(partition).logs.entrySet()) {
            List<@Nullable SimTask> log = entry.getValue();
            if (task.offset < log.size() && log.get((int) task.offset) == task) {
                Position position = Position.of(entry.getKey(), task.offset);
                if (state.holds(position) || state.dead().contains(position)) {
                    return true;
                }
            }
        }
        return false;
    }

    List<SimTask> lost(List<SimTask> tasks) {
        List<SimTask> lost = new ArrayList<>();
        for (SimTask task : tasks) {
            ModelPartition state = simulation.store.state(task.partition);
            if (!task.succeeded && !task.recordGone && !isHeld(task.partition, state, task)) {
                lost.add(task);
            }
        }
        return lost;
    }

    List<Position> unfinished() {
        List<Position> unfinished = new ArrayList<>();
        books.forEach((partition, book) -> {
            ModelPartition state = simulation.store.state(partition);
            for (Position position : state.inStore()) {
                if (!simulation.oracle.isHalted(state, books.seen(partition, position).task.key)) {
                    unfinished.add(position);
                }
            }
        });
        return unfinished;
    }
}
