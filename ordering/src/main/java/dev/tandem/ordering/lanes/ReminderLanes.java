package dev.tandem.ordering.lanes;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lanes that only remember that their keys are blocked, or did so; those that were blocked longest first. */
final class ReminderLanes {

    private final int max;
    private final Set<Lane> lanes = new LinkedHashSet<>();

    ReminderLanes(int max) {
        this.max = max;
    }

    /** Adds a lane. @return a lane to forget, since there are too many; null if there is none */
    @Nullable
    Lane add(Lane lane) {
        lanes.add(lane);
        if (lanes.size() <= max) {
            return null;
        }
        Iterator<Lane> oldest = lanes.iterator();
        Lane first = oldest.next();
        oldest.remove();
        return first.isReminder() && !first.isListed() ? first : null;
    }

    void remove(Lane lane) {
        lanes.remove(lane);
    }

    void clear() {
        lanes.clear();
    }
}
