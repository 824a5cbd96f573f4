package dev.tandem.server.api;

import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.DependencyInfo;
import dev.tandem.server.inspect.DependentInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.BusinessId;
import dev.tandem.task.TaskDependencies;
import java.time.Instant;
import java.util.List;

/** Knows of ids that begin with known, and that one task waits for each other id. */
final class InMemoryDependencies implements Dependencies {

    @Override
    public List<DependencyInfo> of(String queue, TaskRef ref, TaskDependencies its) {
        Instant since = Instant.parse("2026-11-20T10:00:00Z");
        return its.on().stream()
                .map(on -> on.key().startsWith("known")
                        ? new DependencyInfo(
                                on.queue(), on.key(), "done", new TaskRef("1", "1:9"), "the other", since, true)
                        : new DependencyInfo(on.queue(), on.key(), null, null, null, since, false))
                .toList();
    }

    @Override
    public List<DependentInfo> dependentsOf(BusinessId id) {
        return List.of(new DependentInfo("mail", new TaskRef("0", "1:3")));
    }
}
