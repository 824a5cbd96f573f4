package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.task.MediaTypes;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.Utf8;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes CloudEvents (1.0.2) of the tasks whose headers ask for that: they have {@code ce_specversion}. The attributes that are
 * not among the headers come from the task. Pure.
 */
final class EventEncoder {

    private static final String PREFIX = Binding.KAFKA.header("");
    private static final String VERSION = PREFIX + "specversion";
    private static final String DATA_TYPE = "datacontenttype";
    private static final String STRUCTURED = "application/cloudevents+json";
    private static final JsonMapper JSON = JsonMapper.shared();

    private EventEncoder() {}

    static boolean isEvent(Map<String, String> headers) {
        return headers.containsKey(VERSION);
    }

    /** Whether the headers ask for an event in structured mode. */
    static boolean isStructured(Map<String, String> headers) {
        return isEvent(headers) && STRUCTURED.equals(headers.get(TaskHeaders.CONTENT_TYPE));
    }

    /**
     * Returns the task as an event.
     *
     * @param binding how its broker spells attributes
     * @param dataType the content type of the payload, unless the headers say it; null if it is not known
     * @throws InvalidTaskException if it can be no event; the message says what to do
     */
    static Task encode(Task task, Binding binding, @Nullable String dataType, Instant now) {
        Map<String, String> attributes = new LinkedHashMap<>();
        Map<String, String> others = new LinkedHashMap<>();
        task.headers().forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                attributes.put(name.substring(PREFIX.length()), value);
            } else {
                others.put(name, value);
            }
        });
        complete(attributes, task, now);
        String given = attributes.remove(DATA_TYPE);
        if (!isStructured(task.headers())) {
            attributes.forEach((name, value) -> others.put(binding.header(name), value));
            if (given != null) {
                others.put(TaskHeaders.CONTENT_TYPE, given);
            }
            return task.withHeaders(others);
        }
        String type = given != null ? given : dataType;
        return task.withHeaders(others).withPayload(body(attributes, type, task.payload()));
    }

    private static void complete(Map<String, String> attributes, Task task, Instant now) {
        if (attributes.getOrDefault("source", "").isBlank()) {
            throw new InvalidTaskException("The task is a CloudEvent without a source: give one, such as"
                    + " TaskOptions.cloudEvent(\"/shop\")");
        }
        putIfAbsent(attributes, "id", task.id());
        putIfAbsent(attributes, "type", task.type());
        putIfAbsent(attributes, "time", now.toString());
        putIfAbsent(attributes, "partitionkey", task.key());
        if (!attributes.containsKey("type")) {
            throw new InvalidTaskException("The task is a CloudEvent without a type: give the task one");
        }
        attributes.keySet().forEach(EventEncoder::checkName);
    }

    private static void putIfAbsent(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null) {
            attributes.putIfAbsent(name, value);
        }
    }

    private static void checkName(String name) {
        boolean allowed = !name.isEmpty()
                && name.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
                && !name.equals("data");
        if (!allowed) {
            throw new InvalidTaskException("The header '" + PREFIX + name + "' is no attribute of a CloudEvent: use"
                    + " small letters and digits after '" + PREFIX + "'");
        }
    }

    private static byte[] body(Map<String, String> attributes, @Nullable String dataType, byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(data.length + 256);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            attributes.forEach(json::writeStringProperty);
            if (dataType != null) {
                json.writeStringProperty(DATA_TYPE, dataType);
            }
            if (data.length > 0) {
                write(json, dataType, data);
            }
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator json, @Nullable String dataType, byte[] data) {
        String mediaType = dataType == null ? "" : MediaTypes.of(dataType);
        boolean isJson = MediaTypes.isJson(mediaType);
        String text = isJson || mediaType.startsWith("text/") ? Utf8.decode(data) : null;
        if (isJson) {
            json.writeName("data");
            json.writeRawValue(requireJson(text));
        } else if (text != null) {
            json.writeStringProperty("data", text);
        } else {
            json.writeName("data_base64");
            json.writeBinary(data);
        }
    }

    /** Returns the text. Otherwise the body would be no JSON at all. */
    private static String requireJson(@Nullable String text) {
        try {
            if (text != null && !JSON.readTree(text).isMissingNode()) {
                return text;
            }
        } catch (JacksonException e) {
            throw new InvalidTaskException(
                    "The payload is to be the JSON of a CloudEvent, but it is no JSON: " + e.getOriginalMessage(), e);
        }
        throw new InvalidTaskException("The payload is to be the JSON of a CloudEvent, but it is no JSON in UTF-8");
    }
}
