package dev.tandem.server.runtime;

import dev.tandem.scheduler.DependencyBook;
import dev.tandem.scheduler.DependencyView;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.DependencyInfo;
import dev.tandem.server.inspect.DependentInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.BusinessId;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskPlace;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Reads which tasks wait for which others from Redis. */
final class RedisDependencies implements Dependencies {

    /** How many tasks are listed that wait for one. */
    private static final int MAX_WAITING = 100;

    private final DependencyBook book;

    RedisDependencies(DependencyBook book) {
        this.book = book;
    }

    @Override
    public List<DependencyInfo> of(String queue, TaskRef ref, TaskDependencies its) {
        return RedisCalls.await(book.of(ref.in(queue), its)).stream()
                .map(RedisDependencies::info)
                .toList();
    }

    private static DependencyInfo info(DependencyView view) {
        TaskPlace bearer = view.bearer();
        return new DependencyInfo(
                view.on().queue(),
                view.on().key(),
                view.state() == null ? null : view.state().name().toLowerCase(Locale.ROOT),
                bearer == null ? null : TaskRef.of(bearer),
                view.id().isEmpty() ? null : view.id(),
                view.since() == 0 ? null : Instant.ofEpochMilli(view.since()),
                view.over());
    }

    @Override
    public List<DependentInfo> dependentsOf(BusinessId id) {
        return RedisCalls.await(book.dependentsOf(id, MAX_WAITING)).stream()
                .map(each -> new DependentInfo(each.partition().queue(), TaskRef.of(each)))
                .toList();
    }
}
