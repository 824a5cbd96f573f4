package dev.tandem.task;

import dev.tandem.task.TaskHeaders.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The headers of a message that are kept with its task. The last one of a name has that name; the earlier ones are numbered
 * from 1. The cost of a header does not depend on how many have the same name.
 */
final class KeptHeaders {

    /** A header of its own takes some 150 bytes of memory, and two bytes of a message are enough to make one. */
    private static final int MOST_LISTED = 4 * TaskHeaders.MAX_HEADERS;

    private Map<String, String> headers = Map.of();
    /** The number that the next repeat of a name tries first. Most messages repeat none, and many have no header at all. */
    private Map<String, Integer> nextNumber = Map.of();

    /** Returns all headers of an unreadable message. Those beyond a bound are lines of one header. */
    static KeptHeaders of(List<Field> fields) {
        KeptHeaders all = new KeptHeaders();
        int listed = Math.min(fields.size(), MOST_LISTED);
        fields.subList(0, listed).forEach(all::add);
        if (listed < fields.size()) {
            StringBuilder rest = new StringBuilder();
            for (Field field : fields.subList(listed, fields.size())) {
                rest.append(field.name()).append('=').append(text(field)).append('\n');
            }
            all.add(Field.of(TaskHeaders.MORE_HEADERS, rest.toString()));
        }
        return all;
    }

    private static String text(Field field) {
        byte[] bytes = field.value();
        String text = bytes == null ? "" : Utf8.decode(bytes);
        return text != null ? text : new String(Objects.requireNonNull(bytes), StandardCharsets.ISO_8859_1);
    }

    void add(Field field) {
        if (PlatformHeaders.contains(field.name())) {
            return;
        }
        byte[] bytes = field.value();
        String text = bytes == null ? "" : Utf8.decode(bytes);
        String name = field.name();
        if (text == null) {
            name += TaskHeaders.LATIN1;
            text = new String(Objects.requireNonNull(bytes), StandardCharsets.ISO_8859_1);
        }
        if (headers.isEmpty()) {
            headers = new LinkedHashMap<>();
        }
        String earlier = headers.put(name, text);
        if (earlier != null) {
            if (nextNumber.isEmpty()) {
                nextNumber = new HashMap<>();
            }
            int number = nextNumber.getOrDefault(name, 1);
            while (headers.containsKey(name + "#" + number)) {
                number++;
            }
            headers.put(name + "#" + number, earlier);
            nextNumber.put(name, number + 1);
        }
    }

    Map<String, String> headers() {
        return headers;
    }
}
