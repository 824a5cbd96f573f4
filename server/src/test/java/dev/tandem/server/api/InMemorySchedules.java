package dev.tandem.server.api;

import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Deleted;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Schedules as a test gives them. Keeps the changes that are asked of it. */
final class InMemorySchedules implements ScheduleAdministration {

    long now;
    List<Entry> entries = List.of();
    Result result = Result.DONE;
    final Map<String, Definition> definitions = new TreeMap<>();
    final Map<String, Definition> deleted = new TreeMap<>();
    /** Answers the next look at a deleted schedule, before another one of its id is deleted. */
    @Nullable
    Deleted looked;

    final List<String> changes = new ArrayList<>();

    void reset() {
        entries = List.of();
        result = Result.DONE;
        definitions.clear();
        deleted.clear();
        changes.clear();
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public List<Entry> all() {
        ApiTestBase.PLATFORM.check();
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
        show();
        return Result.DONE;
    }

    private void show() {
        entries = definitions.values().stream()
                .map(each -> new Entry(each.id(), each.definition(), now, now, -1, -1, -1, 0, 0, 0, true))
                .toList();
    }

    @Override
    public Optional<Deleted> deleted(String id) {
        if (looked != null) {
            Deleted before = looked;
            looked = null;
            return Optional.of(before);
        }
        return Optional.ofNullable(deleted.get(id)).map(each -> new Deleted(true, each.version(), each.definition()));
    }

    @Override
    public Result change(String id, Change change) {
        changes.add(change + " " + id);
        if (result == Result.DONE && change == Change.FORGET && definitions.containsKey(id)) {
            deleted.put(id, definitions.remove(id));
            show();
        }
        return result;
    }

    @Override
    public Result restore(String id, String version) {
        changes.add("RESTORE " + id);
        Definition its = deleted.get(id);
        if (result != Result.DONE) {
            return result;
        } else if (its == null) {
            return Result.NOT_FOUND;
        } else if (!its.version().equals(version)) {
            return Result.DIFFERS;
        }
        definitions.put(id, deleted.remove(id));
        show();
        return Result.DONE;
    }
}
