package dev.tandem.verify.record;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event as a line: its name and its fields in their order, separated by tabs. A null is {@code \0}; tabs, line breaks,
 * commas and backslashes in texts are escaped.
 */
final class EventJson {

    private static final String NULL = "\\0";

    private record Shape(String name, RecordComponent[] parts, Constructor<?> maker) {}

    private static final Map<String, Shape> SHAPES = new LinkedHashMap<>();
    private static final ClassValue<Shape> SHAPE_OF = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return shape(type);
        }
    };

    static {
        for (Class<?> type : Event.class.getPermittedSubclasses()) {
            SHAPES.put(type.getSimpleName(), SHAPE_OF.get(type));
        }
    }

    private EventJson() {}

    private static Shape shape(Class<?> type) {
        RecordComponent[] parts = type.getRecordComponents();
        try {
            return new Shape(
                    type.getSimpleName(),
                    parts,
                    type.getDeclaredConstructor(
                            Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new)));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With its line break. */
    static byte[] encode(Event event) {
        Shape shape = SHAPE_OF.get(event.getClass());
        StringBuilder line = new StringBuilder(shape.name());
        for (RecordComponent part : shape.parts()) {
            try {
                line.append('\t').append(text(part.getAccessor().invoke(event)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return NULL;
        }
        if (value instanceof List<?> list) {
            StringBuilder all = new StringBuilder();
            for (Object each : list) {
                all.append(escaped(each.toString())).append(',');
            }
            return all.toString();
        }
        return escaped(value.toString());
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace(",", "\\c");
    }

    /**
     * Reads a line, without its line break.
     *
     * @throws IllegalArgumentException if it is none of ours
     */
    static Event decode(String line) {
        String[] fields = line.split("\t", -1);
        Shape shape = SHAPES.get(fields[0]);
        if (shape == null || fields.length != shape.parts().length + 1) {
            throw new IllegalArgumentException("Not an event: " + line);
        }
        Object[] values = new Object[shape.parts().length];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(shape.parts()[i], fields[i + 1]);
        }
        try {
            return (Event) shape.maker().newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("Not an event: " + line, e);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static @Nullable Object value(RecordComponent part, String text) {
        Class<?> type = part.getType();
        if (text.equals(NULL)) {
            return null;
        }
        if (type == long.class) {
            return Long.parseLong(text);
        } else if (type == int.class) {
            return Integer.parseInt(text);
        } else if (type == boolean.class) {
            return Boolean.parseBoolean(text);
        } else if (type.isEnum()) {
            return Enum.valueOf((Class) type, text);
        } else if (type == List.class) {
            boolean numbers = part.getGenericType().getTypeName().contains("Long");
            return Arrays.stream(text.split(","))
                    .filter(each -> !each.isEmpty())
                    .map(each -> numbers ? (Object) Long.valueOf(each) : plain(each))
                    .toList();
        }
        return plain(text);
    }

    private static String plain(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                plain.append(c);
                continue;
            }
            char next = text.charAt(++i);
            plain.append(
                    switch (next) {
                        case 't' -> '\t';
                        case 'n' -> '\n';
                        case 'c' -> ',';
                        default -> next;
                    });
        }
        return plain.toString();
    }
}
