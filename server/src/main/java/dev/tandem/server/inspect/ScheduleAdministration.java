package dev.tandem.server.inspect;

import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.List;
import java.util.Optional;

/** Port: shows and changes the schedules of all programs. Thread-safe. All methods may throw {@link UnavailableException}. */
public interface ScheduleAdministration {

    /** Returns the time by the clock that schedules follow, in epoch milliseconds. */
    long now();

    /** Returns all schedules, by id. */
    List<Entry> all();

    /** Returns one schedule. */
    Optional<Entry> find(String id);

    /** Returns one that somebody created, with its payload. */
    Optional<Definition> created(String id);

    /** Creates a schedule, or gives a created one another definition. @param expected as in {@link ScheduleBook#define} */
    Result define(Definition definition, String expected);

    Result change(String id, Change change);
}
