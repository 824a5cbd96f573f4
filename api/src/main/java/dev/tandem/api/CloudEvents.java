package dev.tandem.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names by which the headers of a task carry the attributes of a CloudEvent. */
final class CloudEvents {

    static final String STRUCTURED = "application/cloudevents+json";
    static final String CONTENT_TYPE = "content-type";

    /** Marks a header as an attribute. The client replaces it by the broker's prefix. */
    private static final String PREFIX = "ce_";

    private static final String[] PREFIXES = {PREFIX, "cloudEvents:", "cloudEvents_"};

    private CloudEvents() {}

    /** Returns the headers of a submission that is to be published as an event. */
    static Map<String, String> headers(String source, CloudEventMode mode) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(PREFIX + "specversion", "1.0");
        headers.put(PREFIX + "source", source);
        if (mode == CloudEventMode.STRUCTURED) {
            headers.put(CONTENT_TYPE, STRUCTURED);
        }
        return headers;
    }

    static Map<String, String> attributes(Map<String, String> headers) {
        Map<String, String> attributes = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            String attribute = attribute(name);
            if (attribute != null) {
                attributes.put(attribute, value);
            }
        });
        String contentType = headers.get(CONTENT_TYPE);
        if (!attributes.isEmpty() && contentType != null) {
            attributes.putIfAbsent("datacontenttype", contentType);
        }
        return Collections.unmodifiableMap(attributes);
    }

    private static @Nullable String attribute(String header) {
        for (String prefix : PREFIXES) {
            if (header.startsWith(prefix)) {
                return header.substring(prefix.length());
            }
        }
        return null;
    }
}
