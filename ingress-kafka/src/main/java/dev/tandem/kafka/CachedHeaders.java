package dev.tandem.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Headers of one name that many records share: a program has few types, and few types of content. Keeps the first short
 * values that come, about {@value #MAX} of them. Thread-safe.
 */
final class CachedHeaders {

    static final int MAX = 256;
    static final int MAX_LENGTH = 200;

    private final String name;
    private final Map<String, Header> byValue = new ConcurrentHashMap<>();

    CachedHeaders(String name) {
        this.name = name;
    }

    /** Returns the header with this value. */
    Header with(String value) {
        Header known = byValue.get(value);
        if (known != null) {
            return known;
        }
        Header header = new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
        if (value.length() <= MAX_LENGTH && byValue.size() < MAX) {
            byValue.put(value, header);
        }
        return header;
    }

    int size() {
        return byValue.size();
    }
}
