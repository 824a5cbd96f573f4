package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The runs of a partition that this process has started, also under earlier ownerships. */
final class ActiveRuns {

    private final Map<Position, ActiveRun> runs = new HashMap<>();

    void add(ActiveRun active) {
        runs.put(active.run().position(), active);
    }

    @Nullable
    ActiveRun find(Position position) {
        return runs.get(position);
    }

    boolean contains(Position position) {
        return runs.containsKey(position);
    }

    /** Removes this run. Null if another run of its position is active, or none. */
    @Nullable
    ActiveRun remove(Run run) {
        ActiveRun found = runs.get(run.position());
        if (found == null || found.run() != run) {
            return null;
        }
        return runs.remove(run.position());
    }

    Collection<ActiveRun> all() {
        return runs.values();
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    Set<Position> positions() {
        return runs.keySet();
    }
}
