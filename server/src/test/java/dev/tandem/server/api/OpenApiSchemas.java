package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tandem.server.words.Sentence;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the schemas of the records that the API reads and writes. */
final class OpenApiSchemas {

    /** Names that say nothing outside of their class. */
    private static final Set<String> TOO_SHORT = Set.of("View", "All", "Page", "Body", "Named", "Count", "Done");

    private final OpenApiTexts texts;
    private final Map<String, Object> schemas = new TreeMap<>();
    private final Map<String, Class<?>> named = new TreeMap<>();

    OpenApiSchemas(OpenApiTexts texts) {
        this.texts = texts;
        schemas.putAll(texts.handwritten());
    }

    /** Returns all that were needed so far, by name. */
    Map<String, Object> all() {
        return schemas;
    }

    /** Returns a reference to a schema that was written by hand. */
    Map<String, Object> byName(String name) {
        if (!schemas.containsKey(name)) {
            throw new AssertionError("There is no schema '" + name + "' in " + OpenApiTexts.FILE);
        }
        return ref(name);
    }

    Map<String, Object> of(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
            return container((Class<?>) generic.getRawType(), of(last));
        }
        return ofClass((Class<?>) type);
    }

    private Map<String, Object> of(AnnotatedType type) {
        if (type instanceof AnnotatedParameterizedType generic) {
            AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
            return container(
                    (Class<?>) ((ParameterizedType) type.getType()).getRawType(), of(arguments[arguments.length - 1]));
        }
        return of(type.getType());
    }

    private static Map<String, Object> container(Class<?> container, Map<String, Object> content) {
        return Map.class.isAssignableFrom(container)
                ? map("type", "object", "additionalProperties", content)
                : map("type", "array", "items", content);
    }

    private Map<String, Object> ofClass(Class<?> type) {
        if (type == String.class || type == Sentence.class) {
            return map("type", "string");
        } else if (type == int.class || type == Integer.class) {
            return map("type", "integer", "format", "int32");
        } else if (type == long.class || type == Long.class) {
            return map("type", "integer", "format", "int64");
        } else if (type == double.class || type == Double.class) {
            return map("type", "number", "format", "double");
        } else if (type == boolean.class || type == Boolean.class) {
            return map("type", "boolean");
        } else if (type == Instant.class) {
            return map("type", "string", "format", "date-time");
        } else if (type == Duration.class) {
            return map("type", "string", "format", "duration");
        } else if (type == JsonText.class) {
            return map("description", "Any JSON, byte for byte.");
        } else if (type.isEnum()) {
            return map(
                    "type",
                    "string",
                    "enum",
                    Stream.of(type.getEnumConstants()).map(String::valueOf).toList());
        } else if (type.isRecord()) {
            return ofRecord(type);
        }
        throw new AssertionError("A client cannot tell what " + type + " is: return a record");
    }

    private Map<String, Object> ofRecord(Class<?> type) {
        String name = texts.nameOf(type);
        if (TOO_SHORT.contains(name)) {
            throw new AssertionError("Give the schema of " + OpenApiTexts.javaName(type) + " a name, under 'names' in "
                    + OpenApiTexts.FILE);
        }
        Class<?> before = named.putIfAbsent(name, type);
        if (before != null && before != type) {
            throw new AssertionError("Two schemas are called '" + name + "': " + before + " and " + type
                    + ". Name one of them under 'names' in " + OpenApiTexts.FILE);
        }
        if (before == null) {
            schemas.put(name, object(name, type, null));
        }
        return ref(name);
    }

    /** Returns the name of a new schema with some fields of a record, as one of its verbs takes them. */
    Map<String, Object> part(String name, Class<?> type, List<String> fields) {
        schemas.put(name, object(name, type, fields));
        return ref(name);
    }

    private Map<String, Object> object(String name, Class<?> type, @Nullable List<String> only) {
        OpenApiJavadoc javadoc = OpenApiJavadoc.of(type);
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String field = fieldName(component);
            if (only != null && !only.contains(field)) {
                continue;
            }
            Map<String, Object> schema = new LinkedHashMap<>(of(component.getAnnotatedType()));
            String said = javadoc.parameter(component.getName());
            if (said != null) {
                schema.put("description", said);
            }
            schema.putAll(texts.property(name, field));
            properties.put(field, schema);
            if (!component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(field);
            }
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("type", "object");
        if (only == null && !javadoc.text().isEmpty()) {
            object.put("description", javadoc.text());
        }
        object.putAll(texts.schema(name));
        if (!required.isEmpty()) {
            object.put("required", required);
        }
        object.put("properties", properties);
        return object;
    }

    private static String fieldName(RecordComponent component) {
        AnnotatedElement accessor = component.getAccessor();
        JsonProperty given = accessor.getAnnotation(JsonProperty.class);
        return given == null || given.value().isEmpty() ? component.getName() : given.value();
    }

    static String lower(Object value) {
        return String.valueOf(value).toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> ref(String name) {
        return map("$ref", "#/components/schemas/" + name);
    }

    /** Returns a map in this order. */
    static Map<String, Object> map(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }
}
