package dev.tandem.runtime.schedules;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskHeaders;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Submits the tasks of firings by a client, and looks for them in Redis. */
final class TaskEffects implements FiringEffects {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final TaskClient client;
    private final Inspector inspector;

    /** A client may block while its broker is away, and the thread that keeps claims must not. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "tandem-schedules-submit");
        made.setDaemon(true);
        return made;
    });

    TaskEffects(TaskClient client, Inspector inspector) {
        this.client = client;
        this.inspector = inspector;
    }

    @Override
    public CompletionStage<?> submit(Schedule schedule, long instant) {
        return CompletableFuture.supplyAsync(
                        () -> client.submit(request(schedule, instant)).accepted(), thread)
                .thenCompose(Function.identity());
    }

    static TaskRequest<?> request(Schedule schedule, long instant) {
        String id = schedule.taskId(instant);
        String payload = schedule.payload();
        TaskOptions options = TaskOptions.id(id).and(TaskOptions.dedupKey(id));
        if (isJson(payload)) {
            options = options.and(TaskOptions.header(TaskHeaders.CONTENT_TYPE, "application/json"));
        }
        return new TaskRequest<>(
                schedule.queue(), schedule.type(), schedule.taskKey(), payload.isEmpty() ? null : payload, options);
    }

    private static boolean isJson(@Nullable String payload) {
        try {
            return payload != null
                    && !payload.isBlank()
                    && !JSON.readTree(payload).isMissingNode();
        } catch (JacksonException e) {
            return false;
        }
    }

    @Override
    public CompletionStage<TaskEnd> look(Schedule schedule, long instant) {
        return inspector.tasks(schedule.queue(), schedule.taskId(instant), 1).thenApply(TaskEffects::end);
    }

    private static TaskEnd end(List<TaskView> found) {
        if (found.isEmpty()) {
            return TaskEnd.NOT_FOUND;
        }
        return found.get(0).state().isFinal() ? TaskEnd.ENDED : TaskEnd.ALIVE;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
