package dev.tandem.server.api;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** What people wrote for the OpenAPI document: names, sentences, bounds and examples that the code does not have. */
final class OpenApiTexts {

    /** Where the texts are, as people call it. */
    static final String FILE = "server/src/test/resources/openapi-texts.yaml";

    /** What was written for one route. */
    record Route(String name, Map<String, Object> values) {

        String text(String field) {
            if (values.get(field) instanceof String text) {
                return text;
            }
            throw new AssertionError("The route '" + name + "' needs a " + field + " in " + FILE
                    + ". Then write the document: " + OpenApiDocumentTest.WRITE);
        }

        @Nullable
        Object maybe(String field) {
            return values.get(field);
        }
    }

    private final Map<String, Object> all;

    private OpenApiTexts(Map<String, Object> all) {
        this.all = all;
    }

    static OpenApiTexts read() {
        try (Reader reader = Files.newBufferedReader(Path.of("..").resolve(FILE))) {
            return new OpenApiTexts(new Yaml().load(reader));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Map<String, Object> section(String name) {
        return section(all, name);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> section(Map<String, Object> of, String name) {
        Object section = of.get(name);
        return section == null ? Map.of() : (Map<String, Object>) section;
    }

    Route route(String name) {
        return new Route(name, section(section("routes"), name));
    }

    /** Returns the tags in their order, with their descriptions. */
    List<Map<String, Object>> tags() {
        return section("tags").entrySet().stream()
                .map(tag -> OpenApiSchemas.map("name", tag.getKey(), "description", tag.getValue()))
                .toList();
    }

    /** Returns what is said of a parameter, of this route or of all routes. */
    Map<String, Object> parameter(Route route, String name) {
        Map<String, Object> merged =
                new LinkedHashMap<>(asMap(section("parameters").get(name)));
        merged.putAll(asMap(section(route.values(), "parameters").get(name)));
        if (!merged.containsKey("description")) {
            throw new AssertionError("The parameter '" + name + "' of '" + route.name() + "' needs a description in "
                    + FILE + ". Then write the document: " + OpenApiDocumentTest.WRITE);
        }
        return merged;
    }

    private static Map<String, Object> asMap(@Nullable Object said) {
        if (said instanceof String text) {
            return Map.of("description", text);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        if (said instanceof Map<?, ?> some) {
            some.forEach((key, value) -> map.put(String.valueOf(key), value));
        }
        return map;
    }

    /** Returns the name of the schema of a record. */
    String nameOf(Class<?> type) {
        Object given = section("names").get(javaName(type));
        return given == null ? type.getSimpleName() : given.toString();
    }

    /** Returns the name of a class with those around it. */
    static String javaName(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return outer == null ? type.getSimpleName() : javaName(outer) + "." + type.getSimpleName();
    }

    /** Returns what is added to a schema, without its properties. */
    Map<String, Object> schema(String name) {
        return asMap(section("schemas").get(name));
    }

    Map<String, Object> property(String schema, String field) {
        return asMap(section("properties").get(schema + "." + field));
    }

    Map<String, Object> handwritten() {
        return section("handwritten");
    }
}
