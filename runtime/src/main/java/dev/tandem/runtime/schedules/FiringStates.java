package dev.tandem.runtime.schedules;

import dev.tandem.runtime.schedules.FiringState.Phase;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The schedules that {@link FiringCore} fires: the program's own, and those that somebody created, which stand in for its own
 * with the same ids. A schedule whose firing is under way is replaced when that has ended.
 */
final class FiringStates {

    private final Map<String, Schedule> own = new LinkedHashMap<>();
    private final Map<String, FiringState> states = new LinkedHashMap<>();
    private Map<String, CreatedSchedule> created = Map.of();

    /** True while some state is still that of a former definition. */
    private boolean someRetired;

    private boolean unannounced;

    FiringStates(Collection<Schedule> own) {
        own.forEach(each -> {
            this.own.put(each.id(), each);
            states.put(each.id(), FiringState.own(each));
        });
    }

    Collection<FiringState> all() {
        return states.values();
    }

    @Nullable
    FiringState find(String id) {
        return states.get(id);
    }

    /** Returns what is to be announced, and regards it as announced. */
    List<Announced> announcements() {
        unannounced = false;
        List<Announced> all = new ArrayList<>();
        states.values().forEach(state -> {
            if (!state.retired) {
                all.add(state.announcement());
            }
        });
        return all;
    }

    /** Returns whether some schedule is new since the last announcements, and since the last call. */
    boolean takeUnannounced() {
        boolean some = unannounced;
        unannounced = false;
        return some;
    }

    /** Takes the created schedules. @return the ids of the program's own that they stand in for */
    Set<String> adopt(Map<String, CreatedSchedule> all) {
        created = all;
        someRetired = true;
        replace();
        Set<String> hidden = new TreeSet<>(own.keySet());
        hidden.retainAll(all.keySet());
        return hidden;
    }

    /** Replaces what is retired and has nothing under way any more. */
    void replace() {
        if (!someRetired) {
            return;
        }
        someRetired = false;
        Set<String> ids = new LinkedHashSet<>(own.keySet());
        ids.addAll(states.keySet());
        ids.addAll(created.keySet());
        ids.forEach(this::replace);
    }

    private void replace(String id) {
        FiringState state = states.get(id);
        CreatedSchedule stored = created.get(id);
        Schedule mine = own.get(id);
        if (state != null) {
            state.retired = stored == null ? mine == null || state.created : !state.isOf(stored.definition());
            if (!state.retired) {
                return;
            }
            if (state.phase != Phase.IDLE) {
                someRetired = true;
                return;
            }
        }
        if (stored != null) {
            states.put(id, FiringState.created(stored));
            unannounced = true;
        } else if (mine != null) {
            states.put(id, FiringState.own(mine));
            unannounced = true;
        } else {
            states.remove(id);
        }
    }
}
