package dev.tandem.server.api;

import dev.tandem.api.Durations;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskEndings;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.masking.PayloadMasks;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Waits for the ends of tasks. No thread waits. A server that stops sends those who wait away. */
@RestController
@Needs({Permission.VIEW, Permission.SUBMIT})
@RequestMapping("/api/v1/queues/{queue}/tasks/{id}/end")
final class EndsController implements SmartLifecycle {

    static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);

    /** How long the server waits at most, whatever is asked for: a client that has gone takes up a place until then. */
    static final Duration MAX_WAIT = Duration.ofSeconds(30);

    /** How many requests wait at a time: half of the connections that the server takes. */
    static final int MAX_WAITING = 256;

    /** How much longer an answer may take than was asked for. */
    private static final long GRACE_MILLIS = 10_000;

    private static final int MAX_TIMEOUT_LENGTH = 30;

    private final ConfiguredQueues queues;
    private final TaskEndings endings;
    private final PayloadMasks masks;
    private final Set<DeferredResult<Views.Ending>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    EndsController(ConfiguredQueues queues, TaskEndings endings, PayloadMasks masks) {
        this.queues = queues;
        this.endings = endings;
        this.masks = masks;
    }

    @GetMapping
    DeferredResult<Views.Ending> end(
            @PathVariable String queue,
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String timeout) {
        QueueSettings settings = queues.get(queue);
        Duration time = time(timeout);
        DeferredResult<Views.Ending> answer = new DeferredResult<>(time.toMillis() + GRACE_MILLIS);
        begin(answer);
        try {
            endings.await(queue, TaskRef.parse(id).orElse(null), id, time).whenComplete((seen, failure) -> {
                waiting.remove(answer);
                if (failure == null) {
                    answer.setResult(view(queue, settings, seen));
                } else {
                    answer.setErrorResult(failure);
                }
            });
        } catch (RuntimeException | Error e) {
            waiting.remove(answer);
            throw e;
        }
        return answer;
    }

    private Views.Ending view(String queue, QueueSettings settings, Optional<TaskInfo> seen) {
        return new Views.Ending(
                seen.isPresent() && seen.get().state().isFinal(),
                seen.map(Views::state).orElse(null),
                seen.map(task -> TaskViews.single(queue, settings, Pauses.NONE, masks, task))
                        .orElse(null));
    }

    private void begin(DeferredResult<Views.Ending> answer) {
        if (waiting.size() >= MAX_WAITING) {
            throw ProblemType.BUSY.refusal(
                    "The server waits for the ends of " + MAX_WAITING + " tasks already",
                    "Try again in a second, or ask another server");
        }
        waiting.add(answer);
        if (!running) {
            waiting.remove(answer);
            throw stopping();
        }
    }

    private static ApiException stopping() {
        return ProblemType.STOPPING.refusal(
                "The server stops", "Ask another one, or this one once it has started again");
    }

    private static Duration time(@Nullable String text) {
        String remedy = "Use 1ms to " + MAX_TIMEOUT.toMinutes()
                + "m, for instance timeout=30s, and ask again if the task" + " has not ended by then";
        if (text == null) {
            throw ApiException.parameter("timeout", "The parameter timeout is missing", remedy);
        }
        Duration time;
        try {
            time = Durations.parse("timeout", text.substring(0, Math.min(MAX_TIMEOUT_LENGTH, text.length())));
        } catch (InvalidTaskException e) {
            throw ApiException.parameter("timeout", String.valueOf(e.getMessage()), remedy);
        }
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX_TIMEOUT) > 0) {
            throw ApiException.parameter("timeout", "The parameter timeout is '" + text + "'", remedy);
        }
        return time.compareTo(MAX_WAIT) < 0 ? time : MAX_WAIT;
    }

    @Override
    public void start() {
        running = true;
    }

    /** Answers those who wait, so that the web server need not wait for them. */
    @Override
    public void stop() {
        running = false;
        waiting.forEach(answer -> answer.setErrorResult(stopping()));
        waiting.clear();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops before the web server does. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
