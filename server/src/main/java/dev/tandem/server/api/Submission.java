package dev.tandem.server.api;

import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A task that someone wants published, before it is checked: as headers and bytes, the form of any message. So what is
 * refused here is what would be unreadable on arrival, for the same reasons.
 */
record Submission(List<TaskHeaders.Field> fields, @Nullable String key, byte[] payload) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** The JSON form. Times are text or numbers, like the headers. */
    record Body(
            @Nullable JsonNode payload,
            @Nullable String payloadText,
            @Nullable String payloadBase64,
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            @Nullable String notBefore,
            @Nullable String delay,
            @Nullable String timeout,
            @Nullable String maxAttempts,
            @Nullable String dedupKey,
            @Nullable Map<String, String> headers) {}

    /** @throws ApiException if the bytes are not such JSON */
    static Submission json(byte[] bytes) {
        Body body;
        try {
            body = JSON.readValue(bytes, Body.class);
        } catch (UnrecognizedPropertyException e) {
            throw ApiException.badRequest(
                    "There is no field '" + e.getPropertyName() + "'",
                    "Use " + e.getKnownPropertyIds() + "; what the task itself is about goes into payload");
        } catch (JacksonException e) {
            throw ApiException.badRequest(
                    "The body is not a task as JSON: " + e.getOriginalMessage(),
                    "See docs/protocol.md; a payload of another kind is sent with its own Content-Type");
        }
        if (body == null) {
            throw ApiException.badRequest("The body is null", "Send an object, {} at the least");
        }
        List<TaskHeaders.Field> fields = new ArrayList<>();
        if (body.headers() != null) {
            body.headers().forEach((name, value) -> add(fields, name, value));
        }
        add(fields, TaskHeaders.ID, body.id());
        add(fields, TaskHeaders.TYPE, body.type());
        add(fields, TaskHeaders.NOT_BEFORE, body.notBefore());
        add(fields, TaskHeaders.DELAY, body.delay());
        add(fields, TaskHeaders.TIMEOUT, body.timeout());
        add(fields, TaskHeaders.MAX_ATTEMPTS, body.maxAttempts());
        add(fields, TaskHeaders.DEDUP_KEY, body.dedupKey());
        boolean json = body.payload() != null;
        if (json && fields.stream().noneMatch(field -> field.name().equals(TaskHeaders.CONTENT_TYPE))) {
            add(fields, TaskHeaders.CONTENT_TYPE, "application/json");
        }
        return new Submission(fields, body.key(), payload(body));
    }

    private static byte[] payload(Body body) {
        int given = (body.payload() != null ? 1 : 0)
                + (body.payloadText() != null ? 1 : 0)
                + (body.payloadBase64() != null ? 1 : 0);
        if (given > 1) {
            throw ApiException.badRequest(
                    "There is more than one of payload, payloadText and payloadBase64", "Send one of them");
        }
        if (body.payload() != null) {
            return JSON.writeValueAsBytes(body.payload());
        }
        if (body.payloadText() != null) {
            return body.payloadText().getBytes(StandardCharsets.UTF_8);
        }
        if (body.payloadBase64() == null) {
            return new byte[0];
        }
        try {
            return Base64.getDecoder().decode(body.payloadBase64());
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(
                    "payloadBase64 is not Base64: " + e.getMessage(), "Encode it as RFC 4648 says");
        }
    }

    /** The raw form: the body is the payload. @param headers of the request that are the message's */
    static Submission raw(Map<String, String> headers, byte[] payload) {
        List<TaskHeaders.Field> fields = new ArrayList<>();
        Map<String, String> rest = new LinkedHashMap<>(headers);
        String key = rest.remove(TaskHeaders.KEY);
        rest.forEach((name, value) -> add(fields, name, value));
        return new Submission(fields, key, payload);
    }

    private static void add(List<TaskHeaders.Field> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.add(TaskHeaders.Field.of(name, value));
        }
    }

    /** @throws ApiException if it would be unreadable on arrival */
    Task task(TaskHeaders reader, long nowMillis) {
        byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        TaskHeaders.Read read =
                reader.read(fields, new TaskHeaders.Origin(keyBytes, null, null, null, nowMillis, nowMillis), payload);
        if (read.unreadable() != null) {
            throw ApiException.badRequest(
                    "The task can't be published: " + read.unreadable(), "Correct it and send it again");
        }
        return read.task();
    }
}
