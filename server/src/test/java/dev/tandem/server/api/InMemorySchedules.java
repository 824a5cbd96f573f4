package dev.tandem.server.api;

import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.ArrayList;
import java.util.List;

/** Schedules as a test gives them. Keeps the changes that are asked of it. */
final class InMemorySchedules implements ScheduleAdministration {

    long now;
    List<Entry> entries = List.of();
    Result result = Result.DONE;
    final List<String> changes = new ArrayList<>();

    void reset() {
        entries = List.of();
        result = Result.DONE;
        changes.clear();
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public List<Entry> all() {
        return entries;
    }

    @Override
    public Result change(String id, Change change) {
        changes.add(change + " " + id);
        return result;
    }
}
