package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskRequest;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes payloads and headers as a row keeps them. Thread-safe. */
final class Payloads {

    private static final String CONTENT_TYPE = "content-type";
    private static final String BYTES = "application/octet-stream";
    private static final String TEXT = "text/plain;charset=UTF-8";
    private static final String JSON = "application/json";

    /** The length of {@code {}}. */
    private static final int EMPTY_OBJECT = 2;

    private static final TypeReference<LinkedHashMap<String, String>> HEADERS = new TypeReference<>() {};

    private final JsonMapper mapper;

    Payloads(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * Returns a task's payload as the client of a broker would write it.
     *
     * @throws InvalidTaskException if the object cannot be written as JSON
     */
    byte[] bytes(TaskRequest<?> task) {
        Object payload = task.payload();
        if (payload == null) {
            return new byte[0];
        }
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            byte[] bytes = mapper.writeValueAsBytes(payload);
            if (bytes.length == EMPTY_OBJECT && hasFields(payload.getClass())) {
                // Jackson writes an object of which it sees nothing as {}. With this feature it says so.
                return mapper.writer()
                        .with(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                        .writeValueAsBytes(payload);
            }
            return bytes;
        } catch (JacksonException e) {
            throw new InvalidTaskException(
                    "The payload of the task's type '" + task.type() + "', a "
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

    /**
     * Returns a task's headers as JSON. They say what kind of payload it is, as those of a task without an outbox do, since the
     * relay knows only its bytes.
     *
     * @param now the time of an event
     */
    String headers(TaskRequest<?> task, Instant now) {
        Map<String, String> headers = task.options().headers();
        Object payload = task.payload();
        if (payload != null && headers.keySet().stream().noneMatch(CONTENT_TYPE::equalsIgnoreCase)) {
            headers = new LinkedHashMap<>(headers);
            headers.put(CONTENT_TYPE, payload instanceof byte[] ? BYTES : payload instanceof String ? TEXT : JSON);
        }
        if (headers.containsKey("ce_specversion")) {
            headers = event(headers, payload, now);
        }
        return headers.isEmpty() ? "{}" : mapper.writeValueAsString(headers);
    }

    /** Says of a CloudEvent what only this moment knows: the relay has bytes. */
    private static Map<String, String> event(Map<String, String> headers, @Nullable Object payload, Instant now) {
        Map<String, String> event = new LinkedHashMap<>(headers);
        event.putIfAbsent("ce_time", now.toString());
        if (payload != null && !(payload instanceof byte[])) {
            event.putIfAbsent("ce_datacontenttype", payload instanceof String ? TEXT : JSON);
        }
        return event;
    }

    /** @throws InvalidTaskException if the text is no JSON object of texts */
    static Map<String, String> readHeaders(String text) {
        if (text.equals("{}")) {
            return Map.of();
        }
        try {
            Map<String, String> headers = JsonMapper.shared().readValue(text, HEADERS);
            if (headers == null || headers.containsValue(null)) {
                throw new InvalidTaskException("The column headers is no JSON object of texts");
            }
            return headers;
        } catch (JacksonException e) {
            throw new InvalidTaskException("The column headers is no JSON object of texts", e);
        }
    }
}
