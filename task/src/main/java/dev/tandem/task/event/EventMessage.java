package dev.tandem.task.event;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event as a CloudEvent 1.0 in binary mode. Each broker's publisher puts the attributes into headers of its own form.
 *
 * @param kind what it tells, by which RabbitMQ routes it
 * @param attributes without {@code datacontenttype}
 * @param orderedBy events with the same text stay in order: the task's key; without one, its place
 * @param data JSON
 */
public record EventMessage(EventKind kind, Map<String, String> attributes, String orderedBy, byte[] data) {

    /** The beginning of the type of each event. */
    public static final String TYPE_PREFIX = "dev.tandem.task.";

    public static final String CONTENT_TYPE = "application/json";

    private static final String ZEROS = "0".repeat(20);

    /**
     * @param namespace what tells this installation apart from others, as {@code tandem.redis.namespace} does
     * @param defaultType the type of tasks that name none; null if they have none
     */
    public static EventMessage of(String namespace, TaskEvent event, @Nullable String defaultType) {
        String place = event.partition().name() + "/" + event.position().text();
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", "1.0");
        attributes.put("id", place + "/" + event.kind().text() + "/" + event.recordedMicros());
        attributes.put("source", "/" + namespace + "/" + event.partition().queue());
        attributes.put("type", TYPE_PREFIX + event.kind().text());
        attributes.put("subject", event.id() == null ? "@" + place : event.id());
        attributes.put("time", time(event.recordedMicros()));
        if (event.key() != null) {
            attributes.put("partitionkey", event.key());
        }
        attributes.put("sequence", padded(event.number()));
        return new EventMessage(
                event.kind(), attributes, event.key() == null ? place : event.key(), data(event, defaultType));
    }

    /** Returns a number as texts are compared: with 20 digits. */
    private static String padded(long number) {
        String digits = Long.toString(number);
        return ZEROS.substring(digits.length()) + digits;
    }

    private static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }

    private static byte[] data(TaskEvent event, @Nullable String defaultType) {
        StringBuilder json = new StringBuilder(200).append('{');
        text(json, "kind", event.kind().text());
        text(json, "queue", event.partition().queue());
        text(json, "partition", event.partition().name());
        text(json, "position", event.position().text());
        text(json, "id", event.id());
        text(json, "type", event.type() == null ? defaultType : event.type());
        text(json, "key", event.key());
        number(json, "attempt", event.attempt());
        if (event.startedAt() > 0) {
            text(json, "startedAt", Instant.ofEpochMilli(event.startedAt()).toString());
            number(json, "durationMillis", event.durationMillis());
        }
        text(json, "executor", event.executor().isEmpty() ? null : event.executor());
        text(json, "error", event.error());
        text(json, "duplicateOf", event.duplicateOf());
        return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void number(StringBuilder json, String name, long value) {
        name(json, name);
        json.append(value);
    }

    private static void text(StringBuilder json, String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        name(json, name);
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    private static void name(StringBuilder json, String name) {
        if (json.length() > 1) {
            json.append(',');
        }
        json.append('"').append(name).append("\":");
    }
}
