package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Created;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Deleted;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.util.List;
import java.util.Optional;

/** Shows and changes schedules in Redis on behalf of the API. */
final class RedisSchedules implements ScheduleAdministration {

    private final ScheduleBook book;

    RedisSchedules(ScheduleBook book) {
        this.book = book;
    }

    @Override
    public long now() {
        return await(book.now());
    }

    @Override
    public List<Entry> all() {
        return await(book.list());
    }

    @Override
    public Optional<Entry> find(String id) {
        return await(book.find(id));
    }

    @Override
    public Optional<Definition> created(String id) {
        return Optional.ofNullable(await(book.created(Created.NONE)).schedules().get(id));
    }

    @Override
    public Result define(Definition definition, String expected) {
        return await(book.define(now(), definition, expected));
    }

    @Override
    public Optional<Deleted> deleted(String id) {
        return await(book.deleted(now(), id));
    }

    @Override
    public Result change(String id, Change change) {
        return await(book.change(now(), id, change));
    }

    @Override
    public Result restore(String id, String version) {
        return await(book.restore(now(), id, version));
    }
}
