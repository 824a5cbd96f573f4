package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.DependencyInfo;
import dev.tandem.server.inspect.DependentInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Shows for which tasks a task waits, and which ones wait for it. */
@RestController
@Needs(Permission.VIEW)
final class DependenciesController {

    private final ConfiguredQueues queues;
    private final Dependencies dependencies;
    private final TaskLookup lookup;

    DependenciesController(ConfiguredQueues queues, Dependencies dependencies, TaskLookup lookup) {
        this.queues = queues;
        this.dependencies = dependencies;
        this.lookup = lookup;
    }

    /**
     * The tasks for which a task waits, and those that wait for it.
     *
     * @param waitsFor the tasks that it waits for, or waited; absent if there are none
     * @param policy what becomes of it if one of those does not succeed; absent if its queue says so
     * @param timeout for how long it waits; absent if its queue says so
     * @param waiting some of the tasks that wait for it; absent if it has no deduplication key
     */
    record View(
            String ref,
            String state,
            @Nullable String policy,
            @Nullable Duration timeout,
            @Nullable List<Awaited> waitsFor,
            @Nullable List<Waiting> waiting) {}

    /** A task that another one waits for. @param state as that of a deduplication key, or {@code unknown} */
    record Awaited(
            String queue,
            String key,
            String state,
            @Nullable String ref,
            @Nullable String id,
            @Nullable Instant since,
            boolean over) {

        static Awaited of(DependencyInfo info) {
            return new Awaited(
                    info.queue(),
                    info.key(),
                    info.state() == null ? "unknown" : info.state(),
                    info.ref() == null ? null : info.ref().toString(),
                    info.id(),
                    info.since(),
                    info.over());
        }
    }

    record Waiting(String queue, String ref) {
        static Waiting of(DependentInfo info) {
            return new Waiting(info.queue(), info.ref().toString());
        }
    }

    @GetMapping("/api/v1/queues/{queue}/tasks/{id}/dependencies")
    View dependencies(@PathVariable String queue, @PathVariable String id) {
        queues.get(queue);
        TaskInfo info = lookup.find(queue, id);
        Task task = info.envelope() == null ? null : info.envelope().task();
        TaskDependencies its = task == null ? null : TaskDependencies.of(task);
        String key = task == null ? null : task.dedupKey();
        return new View(
                info.ref().toString(),
                Views.state(info),
                its == null || its.policy() == null ? null : its.policy().name().toLowerCase(Locale.ROOT),
                its == null || its.timeoutMillis() == 0 ? null : Duration.ofMillis(its.timeoutMillis()),
                its == null
                        ? null
                        : dependencies.of(queue, info.ref(), its).stream()
                                .map(Awaited::of)
                                .toList(),
                key == null
                        ? null
                        : dependencies.dependentsOf(new BusinessId(queue, key)).stream()
                                .map(Waiting::of)
                                .toList());
    }
}
