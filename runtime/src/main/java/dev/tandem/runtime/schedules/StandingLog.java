package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Known;
import dev.tandem.task.schedule.ScheduleBook.Standing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log which schedules this program fires, whenever that changes. In one line, however many there are. */
final class StandingLog {

    private static final Logger log = LoggerFactory.getLogger(StandingLog.class);

    private static final int MOST_NAMED = 20;

    private final Map<String, Standing> standings = new HashMap<>();
    private Set<String> hidden = Set.of();

    /** Takes the answers to announcements, in order. */
    void tell(List<Announced> announced, List<Known> answers) {
        Map<Standing, List<String>> changed = new EnumMap<>(Standing.class);
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < announced.size(); i++) {
            String id = announced.get(i).id();
            Standing standing = answers.get(i).standing();
            ids.add(id);
            if (standings.put(id, standing) != standing) {
                changed.computeIfAbsent(standing, none -> new ArrayList<>()).add(id);
            }
        }
        standings.keySet().retainAll(ids);
        changed.forEach(StandingLog::tell);
    }

    /** Takes the ids of the program's own schedules for which created ones stand in. */
    void tellHidden(Set<String> ids) {
        Set<String> more = new HashSet<>(ids);
        more.removeAll(hidden);
        hidden = ids;
        if (!more.isEmpty()) {
            tell(Standing.TAKEN, more);
        }
    }

    private static void tell(Standing standing, Collection<String> all) {
        List<String> ids = all.stream().sorted().toList();
        String named = String.join(", ", ids.subList(0, Math.min(MOST_NAMED, ids.size())))
                + (ids.size() > MOST_NAMED ? " and " + (ids.size() - MOST_NAMED) + " more" : "");
        switch (standing) {
            case CURRENT -> log.info("This program, and all others that have them, fire the schedules {}", named);
            case REPLACED ->
                log.info(
                        "This program does not fire the schedules {}: they have other definitions now, those of a program"
                                + " that started later and lives",
                        named);
            case NO_ROOM ->
                log.error(
                        "The schedules {} do not fire: there are too many schedules. Remove those that no program has,"
                                + " with ./tandem schedules forget",
                        named);
            case TAKEN ->
                log.error(
                        "The schedules {} of this program do not fire: somebody has created schedules with the same ids."
                                + " Delete those with ./tandem schedules delete, or give the program's ones other ids",
                        named);
            case UNKNOWN -> {
                // Their definitions are sent next.
            }
        }
    }
}
