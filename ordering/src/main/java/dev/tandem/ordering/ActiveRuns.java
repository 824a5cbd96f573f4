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

    /** Notes that a log has lost its records from an offset on: other records may have their positions. */
    void recordsLostFrom(long offset) {
        for (ActiveRun active : runs.values()) {
            active.recordLost(active.run().position().offset() >= offset);
        }
    }

    /** Returns the lowest offset of a run whose claim is in an incarnation but whose record is gone; -1 if there is none. */
    long lowestLostIn(long incarnation) {
        return runs.values().stream()
                .filter(active -> active.isOwned() && active.isRecordLost())
                .mapToLong(active -> active.run().position().offsetIn(incarnation))
                .filter(offset -> offset >= 0)
                .min()
                .orElse(-1);
    }

    Set<Position> positions() {
        return runs.keySet();
    }
}
