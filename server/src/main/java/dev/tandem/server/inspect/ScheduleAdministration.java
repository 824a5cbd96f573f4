package dev.tandem.server.inspect;

import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Deleted;
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

    /** Returns the schedule that {@link #restore} would bring back; empty if there is none, or another one has its id. */
    Optional<Deleted> deleted(String id);

    Result change(String id, Change change);

    /** Brings a schedule back. @param version as in {@link ScheduleBook#restore} */
    Result restore(String id, String version);
}
