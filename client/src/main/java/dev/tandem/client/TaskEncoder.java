package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTexts;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Binding;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Makes tasks of requests. Thread-safe. */
final class TaskEncoder {

    private static final byte[] NO_BYTES = {};
    private static final Map<String, String> BYTES = header("application/octet-stream");
    private static final Map<String, String> TEXT = header("text/plain;charset=UTF-8");
    private static final Map<String, String> JSON = header("application/json");

    /** The length of {@code {}}. */
    private static final int EMPTY_OBJECT = 2;

    private static final long LATEST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

    private final JsonMapper json;
    private final InstantSource clock;

    TaskEncoder(JsonMapper json, InstantSource clock) {
        this.json = json;
        this.clock = clock;
    }

    /**
     * Makes a task of a request.
     *
     * @param id the given one, or else one that was made
     * @param binding how the queue's broker spells the attributes of CloudEvents
     * @throws InvalidTaskException if something of the request is not allowed; the message says what to do
     */
    Task encode(TaskRequest<?> request, String id, Binding binding) {
        TaskOptions options = request.options();
        TaskTexts.check(request);
        Object payload = request.payload();
        Task task = new Task(
                id,
                request.queue(),
                request.type(),
                request.key(),
                bytes(request, payload),
                headers(options.headers(), payload),
                0,
                notBefore(options),
                options.timeout() == null ? 0 : options.timeout().toMillis(),
                options.maxAttempts() == null ? 0 : options.maxAttempts(),
                options.dedupKey());
        return EventEncoder.isEvent(options.headers())
                ? EventEncoder.encode(task, binding, dataType(payload), Instant.ofEpochMilli(clock.millis()))
                : task;
    }

    private static @Nullable String dataType(@Nullable Object payload) {
        return payload == null ? null : contentType(payload).get(TaskHeaders.CONTENT_TYPE);
    }

    private byte[] bytes(TaskRequest<?> request, @Nullable Object payload) {
        if (payload == null) {
            return NO_BYTES;
        }
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            byte[] bytes = json.writeValueAsBytes(payload);
            if (bytes.length == EMPTY_OBJECT && hasFields(payload.getClass())) {
                // Jackson writes an object of which it sees nothing as {}. With this feature it says so.
                return json.writer()
                        .with(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                        .writeValueAsBytes(payload);
            }
            return bytes;
        } catch (JacksonException e) {
            throw new InvalidTaskException(
                    "The payload of the task's type '" + request.type() + "', a "
                            + payload.getClass().getName() + ", cannot be written as JSON: " + e.getOriginalMessage()
                            + ". Give a record or a class with accessors, a String, or bytes",
                    e);
        }
    }

    /** Returns whether objects of this class have content. A record without components has none. */
    private static boolean hasFields(Class<?> type) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Map<String, String> headers(Map<String, String> given, @Nullable Object payload) {
        if (payload == null || given.containsKey(TaskHeaders.CONTENT_TYPE)) {
            return given;
        }
        Map<String, String> contentType = contentType(payload);
        if (given.isEmpty()) {
            return contentType;
        }
        Map<String, String> all = new LinkedHashMap<>(given);
        all.putAll(contentType);
        return all;
    }

    private static Map<String, String> contentType(Object payload) {
        return payload instanceof byte[] ? BYTES : payload instanceof String ? TEXT : JSON;
    }

    private static Map<String, String> header(String value) {
        // Not Map.of, which makes new objects for each reader.
        return Collections.singletonMap(TaskHeaders.CONTENT_TYPE, value);
    }

    private long notBefore(TaskOptions options) {
        Instant notBefore = options.notBefore();
        if (notBefore != null) {
            return Math.max(0, notBefore.toEpochMilli());
        }
        Duration delay = options.delay();
        if (delay == null || delay.isZero()) {
            return 0;
        }
        long now = clock.millis();
        if (delay.compareTo(Duration.ofMillis(LATEST - now)) > 0) {
            throw new InvalidTaskException("The task's delay is " + delay + ": it must not reach beyond the year 9999");
        }
        return now + Math.max(1, delay.toMillis());
    }
}
