package dev.tandem.runtime;

import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskResultException;
import dev.tandem.api.TaskResultException.Reason;
import dev.tandem.api.TaskResults;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Envelope;
import dev.tandem.task.LogText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Awaits the results of tasks by the link of this program to Redis. */
final class StoredResults implements TaskResults {

    private static final int MAX_ERROR = 300;

    private final RedisStore store;
    private final JsonMapper json;

    StoredResults(RedisStore store, JsonMapper json) {
        this.store = store;
        this.json = json;
    }

    @Override
    public <R> @Nullable R await(TaskRef<?> task, Class<R> type, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + timeout.toNanos();
        task.await(timeout);
        Duration left = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
        TaskView ended = ended(task, left).orElse(null);
        if (ended == null || !ended.state().isFinal()) {
            throw new TaskResultException(
                    Reason.NOT_IN_TIME, "The task " + task.id() + " has not ended within " + timeout, null);
        }
        String result = resultOf(task, ended);
        if (type == Void.class) {
            return null;
        } else if (result == null) {
            throw new TaskResultException(
                    Reason.NOT_KEPT,
                    "The task " + task.id() + " has succeeded, but its result is not kept: look at max-result-bytes of"
                            + " queue '" + task.queue() + "'",
                    null);
        }
        try {
            return json.readValue(result, type);
        } catch (JacksonException e) {
            throw new TaskResultException(
                    Reason.UNREADABLE,
                    "The result of the task " + task.id() + " cannot be read as " + type.getName() + ": "
                            + e.getOriginalMessage(),
                    e);
        }
    }

    private Optional<TaskView> ended(TaskRef<?> task, Duration timeout) throws InterruptedException {
        try {
            return store.taskEnds().await(task.queue(), task.id(), timeout).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable String resultOf(TaskRef<?> task, TaskView ended) {
        Reason reason = switch (ended.state()) {
            case DEAD -> Reason.DEAD;
            case EXPIRED -> Reason.EXPIRED;
            case CANCELLED -> Reason.CANCELLED;
            default -> null;
        };
        if (reason == null) {
            return ended.success() == null ? null : ended.success().result();
        }
        Envelope envelope = ended.envelope();
        String error = envelope == null || envelope.error() == null
                ? ""
                : ": " + LogText.oneLine(envelope.error().lines().findFirst().orElse(""), MAX_ERROR);
        String how = ended.state().name().toLowerCase(Locale.ROOT);
        throw new TaskResultException(reason, "The task " + task.id() + " has ended as " + how + error, null);
    }
}
