package dev.tandem.server.inspect;

import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.List;

/** Port: shows and changes the schedules of all programs. Thread-safe. All methods may throw {@link UnavailableException}. */
public interface ScheduleAdministration {

    /** Returns the time by the clock that schedules follow, in epoch milliseconds. */
    long now();

    /** Returns all schedules, by id. */
    List<Entry> all();

    Result change(String id, Change change);
}
