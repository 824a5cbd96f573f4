package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Operators who cancel tasks in the memory of processes, until the faults end. Their draws are their own. */
final class SimCancels {

    private final Simulation simulation;
    private final SeededRandom random;
    private final int every;

    private SimCancels(Simulation simulation, SeededRandom random) {
        this.simulation = simulation;
        this.random = random;
        this.every = random.between(20, 600);
    }

    /** Has operators cancel tasks in a history. */
    static Simulation in(Simulation simulation, long seed) {
        SimCancels cancels = new SimCancels(simulation, new SeededRandom(seed * 31 + 17));
        simulation.timeline.in(1, cancels::strike);
        return simulation;
    }

    private void strike() {
        if (simulation.haveFaultsEnded()) {
            return;
        }
        List<SimProcess> alive =
                simulation.processes().stream().filter(SimProcess::alive).toList();
        if (!alive.isEmpty()) {
            SimProcess process = random.any(alive);
            process.post(() -> cancel(process));
        }
        simulation.timeline.in(random.delay(every, 2_000), this::strike);
    }

    /** Cancels a few of the tasks that a process has, most times one. */
    private void cancel(SimProcess process) {
        int most = random.percent(20) ? 8 : 1;
        int percent = random.between(5, 60);
        Set<Position> chosen = new HashSet<>();
        List<CancelledTask> found = process.core.cancel((partition, position, task) ->
                chosen.contains(position) || chosen.size() < most && random.percent(percent) && chosen.add(position));
        if (!found.isEmpty()) {
            simulation.trace(() -> process + " cancels " + found);
        }
    }
}
