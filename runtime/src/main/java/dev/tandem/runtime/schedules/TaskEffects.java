package dev.tandem.runtime.schedules;

import dev.tandem.api.DedupMode;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.task.TaskHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Submits the tasks of firings by a client, and finds out in Redis what became of them. */
final class TaskEffects implements FiringEffects {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final long IDLE_SECONDS = 30;

    /**
     * For how long the task of an instant is known after its arrival. Another process may submit it again if one dies before it has
     * marked the instant: at once if one is up, else after their restart.
     */
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final TaskClient client;
    private final EarlierTasks earlier;

    /**
     * The threads that submit, one for each queue. A client may block while a broker or a topic is away. Then neither the thread
     * that keeps claims nor the schedules of other queues wait for it.
     */
    private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

    TaskEffects(TaskClient client, EarlierTasks earlier) {
        this.client = client;
        this.earlier = earlier;
    }

    @Override
    public CompletionStage<?> submit(Schedule schedule, long instant) {
        return CompletableFuture.supplyAsync(
                        () -> client.submit(request(schedule, instant)).accepted(),
                        threads.computeIfAbsent(schedule.queue(), TaskEffects::thread))
                .thenCompose(Function.identity());
    }

    private static ExecutorService thread(String queue) {
        ThreadPoolExecutor thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "tandem-schedules-submit-" + queue);
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    static TaskRequest<?> request(Schedule schedule, long instant) {
        String id = schedule.taskId(instant);
        String payload = schedule.payload();
        TaskOptions options = TaskOptions.id(id)
                .and(TaskOptions.dedupKey(id))
                .and(TaskOptions.dedupMode(DedupMode.FIRST))
                .and(TaskOptions.dedupWindow(REMEMBERED));
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
        return earlier.look(schedule.queue(), schedule.taskId(instant));
    }

    @Override
    public CompletionStage<?> cancel(Schedule schedule, long instant) {
        return earlier.cancel(schedule.queue(), schedule.taskId(instant));
    }

    @Override
    public void close() {
        threads.values().forEach(ExecutorService::shutdownNow);
    }
}
