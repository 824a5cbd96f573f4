package dev.tandem.server.handlers;

import dev.tandem.runtime.settings.HttpSettings;
import dev.tandem.task.Utf8;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * Makes the body of a request, and the headers that belong to it: the payload as it is, or a CloudEvent 1.0. A task whose message
 * is an event keeps its attributes.
 */
final class RequestBody {

    private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";
    private static final String DATA_CONTENT_TYPE = "datacontenttype";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final HttpSettings.Body form;
    private final String source;

    /** @param source says of an event that is made here where it comes from */
    RequestBody(HttpSettings.Body form, String source) {
        this.form = form;
        this.source = source;
    }

    /** Returns the body, and puts its headers to the others. */
    byte[] of(PostedTask task, Map<String, String> headers) {
        if (form == HttpSettings.Body.PAYLOAD) {
            headers.put("Content-Type", task.contentType());
            return task.payload();
        }
        Map<String, String> attributes = attributes(task);
        if (form == HttpSettings.Body.CLOUD_EVENT_STRUCTURED) {
            headers.put("Content-Type", STRUCTURED);
            return structured(attributes, task);
        }
        headers.put("Content-Type", task.contentType());
        attributes.forEach((name, value) -> {
            if (!name.equals(DATA_CONTENT_TYPE)) {
                headers.put("ce-" + name, HeaderEncoding.encodeAttribute(value));
            }
        });
        return task.payload();
    }

    private Map<String, String> attributes(PostedTask task) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", "1.0");
        attributes.put("id", task.id());
        attributes.put("source", source);
        attributes.put("type", task.type());
        attributes.put(DATA_CONTENT_TYPE, task.contentType());
        if (task.key() != null) {
            attributes.put("partitionkey", task.key());
        }
        task.event().forEach((name, value) -> {
            if (name.matches("[a-z0-9]{1,40}") && !name.equals("data")) {
                attributes.put(name, value);
            }
        });
        return attributes;
    }

    private static byte[] structured(Map<String, String> attributes, PostedTask task) {
        Map<String, Object> event = new LinkedHashMap<>(attributes);
        String type = task.contentType().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        boolean json = type.equals("application/json") || type.endsWith("+json");
        String text = Utf8.decode(task.payload());
        if (task.payload().length == 0) {
            return JSON.writeValueAsBytes(event);
        }
        if (text == null || json && !isJson(text)) {
            event.put("data_base64", task.payload());
        } else {
            event.put("data", json ? new RawValue(text) : text);
        }
        return JSON.writeValueAsBytes(event);
    }

    private static boolean isJson(String text) {
        try {
            JSON.readTree(text);
            return !text.isBlank();
        } catch (JacksonException e) {
            return false;
        }
    }
}
