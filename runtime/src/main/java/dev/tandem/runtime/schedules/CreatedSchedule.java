package dev.tandem.runtime.schedules;

import dev.tandem.task.schedule.ScheduleBook.Created;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A schedule that somebody created in the store.
 *
 * @param definition what the store has of it
 */
record CreatedSchedule(Schedule schedule, Definition definition) {

    /** Returns those that this program can read and whose queues it has, by id. */
    static Map<String, CreatedSchedule> of(Created created, Predicate<String> hasQueue) {
        Map<String, CreatedSchedule> all = new TreeMap<>();
        created.schedules()
                .forEach((id, definition) -> ScheduleJson.read(definition)
                        .filter(schedule -> hasQueue.test(schedule.queue()))
                        .ifPresent(schedule -> all.put(id, new CreatedSchedule(schedule, definition))));
        return all;
    }
}
