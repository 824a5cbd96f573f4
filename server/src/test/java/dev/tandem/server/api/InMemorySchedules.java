package dev.tandem.server.api;

import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Schedules as a test gives them. Keeps the changes that are asked of it. */
final class InMemorySchedules implements ScheduleAdministration {

    long now;
    List<Entry> entries = List.of();
    Result result = Result.DONE;
    final Map<String, Definition> definitions = new TreeMap<>();
    final List<String> changes = new ArrayList<>();

    void reset() {
        entries = List.of();
        result = Result.DONE;
        definitions.clear();
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
    public Optional<Entry> find(String id) {
        return entries.stream().filter(each -> each.id().equals(id)).findFirst();
    }

    @Override
    public Optional<Definition> created(String id) {
        return Optional.ofNullable(definitions.get(id));
    }

    @Override
    public Result define(Definition definition, String expected) {
        if (result != Result.DONE) {
            return result;
        }
        Definition known = definitions.get(definition.id());
        String version = known == null ? ScheduleBook.NO_VERSION : known.version();
        if (!expected.equals(ScheduleBook.ANY_VERSION) && !expected.equals(version)) {
            return Result.DIFFERS;
        }
        definitions.put(definition.id(), definition);
        entries = definitions.values().stream()
                .map(each -> new Entry(each.id(), each.definition(), now, now, -1, -1, -1, 0, 0, 0, true))
                .toList();
        return Result.DONE;
    }

    @Override
    public Result change(String id, Change change) {
        changes.add(change + " " + id);
        return result;
    }
}
