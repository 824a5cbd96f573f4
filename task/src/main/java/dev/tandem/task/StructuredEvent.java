package dev.tandem.task;

import dev.tandem.task.JsonMembers.MalformedException;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A message whose body is a CloudEvent in structured mode (CloudEvents 1.0.2, JSON event format), as the same event would be in
 * binary mode. Immutable.
 *
 * @param fields the message's headers, with the event's attributes and the content type of its data in the place of those of
 *     the same names
 * @param data the event's data as bytes; JSON as it was written
 */
record StructuredEvent(List<Field> fields, byte[] data) {

    private static final String EVENTS = "application/cloudevents";
    private static final String JSON_EVENT = "application/cloudevents+json";
    private static final String DATA = "data";
    private static final String BASE64 = "data_base64";
    private static final String DATA_TYPE = "datacontenttype";
    private static final byte[] NO_BYTES = {};

    /** Whether a content type says that the body is an event, or several. */
    static boolean isEvent(@Nullable String contentType) {
        return contentType != null && contentType.regionMatches(true, 0, EVENTS, 0, EVENTS.length());
    }

    /** Returns the content type of a message: that of its last header of the name, else what the broker knows. */
    static @Nullable String contentType(List<Field> fields, @Nullable String ofBroker) {
        String found = ofBroker;
        for (Field field : fields) {
            byte[] value = field.value();
            if (field.name().equals(TaskHeaders.CONTENT_TYPE) && value != null) {
                found = new String(value, StandardCharsets.ISO_8859_1);
            }
        }
        return found;
    }

    /**
     * Reads an event.
     *
     * @throws MalformedException if the body is no such event; the message says why
     */
    static StructuredEvent read(List<Field> headers, String contentType, byte[] body, Binding binding) {
        if (!MediaTypes.of(contentType).equals(JSON_EVENT)) {
            throw new MalformedException("events of this content type cannot be read: use " + JSON_EVENT
                    + ", one event in a message, or binary mode");
        }
        String json = Utf8.decode(body);
        if (json == null) {
            throw new MalformedException("it is not UTF-8");
        }
        Map<String, String> members = JsonMembers.of(json);
        checkVersion(members.get("specversion"));
        List<Field> attributes = new ArrayList<>();
        String dataType = members.containsKey(BASE64) ? "application/octet-stream" : "application/json";
        for (Map.Entry<String, String> member : members.entrySet()) {
            String name = member.getKey();
            String value = member.getValue();
            if (name.equals(DATA) || name.equals(BASE64) || value.equals("null")) {
                continue;
            }
            String text = attribute(name, value);
            if (name.equals(DATA_TYPE)) {
                dataType = text;
            } else {
                attributes.add(Field.of(binding.header(name), text));
            }
        }
        attributes.add(Field.of(TaskHeaders.CONTENT_TYPE, dataType));
        return new StructuredEvent(merged(headers, attributes), data(members, dataType));
    }

    private static void checkVersion(@Nullable String version) {
        if (version == null
                || !JsonMembers.isText(version)
                || !JsonMembers.text(version).startsWith("1.")) {
            throw new MalformedException(
                    "its specversion is " + (version == null ? "missing" : shown(version)) + ": it must be \"1.0\"");
        }
    }

    private static String attribute(String name, String value) {
        char first = value.charAt(0);
        if (first == '{' || first == '[') {
            throw new MalformedException(
                    "its attribute " + shown(name) + " is " + shown(value) + ": use a text, a number or a boolean");
        }
        return first == '"' ? JsonMembers.text(value) : value;
    }

    private static byte[] data(Map<String, String> members, String dataType) {
        String data = members.getOrDefault(DATA, "null");
        String base64 = members.getOrDefault(BASE64, "null");
        if (!data.equals("null") && !base64.equals("null")) {
            throw new MalformedException("it has data and data_base64: give one of them");
        }
        if (!base64.equals("null")) {
            return decoded(base64);
        }
        if (data.equals("null")) {
            return NO_BYTES;
        }
        // A text keeps its quotes where the data is JSON itself.
        boolean text = JsonMembers.isText(data) && !MediaTypes.isJson(MediaTypes.of(dataType));
        return (text ? JsonMembers.text(data) : data).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] decoded(String value) {
        try {
            if (JsonMembers.isText(value)) {
                return Base64.getDecoder().decode(JsonMembers.text(value));
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new MalformedException("its data_base64 is no text in base64");
    }

    private static List<Field> merged(List<Field> headers, List<Field> attributes) {
        Set<String> given = attributes.stream().map(Field::name).collect(Collectors.toCollection(TreeSet::new));
        List<Field> all = new ArrayList<>(attributes);
        for (Field header : headers) {
            if (!given.contains(header.name())) {
                all.add(header);
            }
        }
        return all;
    }

    private static String shown(String text) {
        return LogText.oneLine(text, HeaderValues.MAX_SHOWN);
    }
}
