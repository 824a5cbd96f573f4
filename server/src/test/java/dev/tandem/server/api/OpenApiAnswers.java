package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares answers with the OpenAPI document, strictly: a field that a schema does not name is an error too. */
final class OpenApiAnswers {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String BASE = "/api/v1";
    private static @Nullable JsonNode document;

    private OpenApiAnswers() {}

    static synchronized JsonNode document() {
        if (document == null) {
            try {
                document = JSON.readTree(Files.readAllBytes(OpenApiDocumentTest.FILES.resolve("tandem.json")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return document;
    }

    /** Checks an answer of the API. Paths that are no routes have none. @param path raw, with or without its query */
    static void check(String method, String path, int status, String body) {
        if (status >= 300) {
            checkProblem(status, JSON.readTree(body));
        }
        JsonNode operation = operation(method, path);
        if (operation == null) {
            return;
        }
        JsonNode response = operation.path("responses").path(String.valueOf(status));
        if (response.isMissingNode()) {
            response = operation.path("responses").path("default");
            assertThat(status)
                    .as("status of %s %s, which the document does not have", method, path)
                    .isGreaterThanOrEqualTo(300);
        }
        JsonNode content = resolved(response).path("content");
        JsonNode schema = content.path(status < 300 ? "application/json" : "application/problem+json")
                .path("schema");
        if (content.has("application/json") || content.has("application/problem+json")) {
            assertThat(problems(schema, JSON.readTree(body), ""))
                    .as("%s %s, as the OpenAPI document describes its answer %s", method, path, body)
                    .isEmpty();
        }
    }

    private static void checkProblem(int status, JsonNode problem) {
        String type = problem.path("type").asString("");
        assertThat(Stream.of(ProblemType.values())
                        .filter(each -> each.uri().toString().equals(type))
                        .map(each -> each.status().value()))
                .as("the type of %s", problem)
                .containsExactly(status);
    }

    private static @Nullable JsonNode operation(String method, String path) {
        String plain = path.split("\\?", 2)[0];
        if (!plain.startsWith(BASE)) {
            return null;
        }
        JsonNode best = null;
        for (Map.Entry<String, JsonNode> each : document().path("paths").properties()) {
            String pattern = Pattern.quote(each.getKey()).replaceAll("\\{\\w+}", "\\\\E[^/]+\\\\Q");
            if (plain.substring(BASE.length()).matches(pattern)) {
                JsonNode found = each.getValue().path(method.toLowerCase(Locale.ROOT));
                best = found.isMissingNode() ? best : found;
            }
        }
        return best;
    }

    private static JsonNode resolved(JsonNode node) {
        return node.has("$ref")
                ? resolved(document().at(node.path("$ref").asString().substring(1)))
                : node;
    }

    /** Returns what is wrong with a value. */
    static List<String> problems(JsonNode given, JsonNode value, String at) {
        JsonNode schema = resolved(given);
        List<String> wrong = new ArrayList<>();
        if (schema.has("type") && !hasType(schema.path("type"), value)) {
            return List.of(at + " is " + value + ", no " + schema.path("type"));
        }
        if (schema.has("enum") && schema.path("enum").valueStream().noneMatch(value::equals)) {
            wrong.add(at + " is " + value + ", none of " + schema.path("enum"));
        }
        if (schema.path("format").asString("").equals("date-time")) {
            Instant.parse(value.asString());
        }
        value.forEach(item -> {
            if (value.isArray()) {
                wrong.addAll(problems(schema.path("items"), item, at + "[]"));
            }
        });
        if (value.isObject() && schema.path("type").asString("").equals("object")) {
            for (JsonNode name : schema.path("required")) {
                if (!value.has(name.asString())) {
                    wrong.add(at + " lacks " + name);
                }
            }
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                JsonNode its = schema.path("properties").path(field.getKey());
                JsonNode others = schema.path("additionalProperties");
                if (its.isMissingNode() && !others.isObject() && !others.asBoolean(false)) {
                    wrong.add(at + " has a field that is not in its schema: " + field.getKey());
                } else {
                    wrong.addAll(
                            problems(its.isMissingNode() ? others : its, field.getValue(), at + "/" + field.getKey()));
                }
            }
        }
        return wrong;
    }

    private static boolean hasType(JsonNode type, JsonNode value) {
        if (type.isArray()) {
            return type.valueStream().anyMatch(one -> hasType(one, value));
        }
        return switch (type.asString()) {
            case "string" -> value.isString();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "null" -> value.isNull();
            default -> false;
        };
    }
}
