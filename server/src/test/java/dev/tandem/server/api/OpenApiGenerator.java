package dev.tandem.server.api;

import static dev.tandem.server.api.OpenApiSchemas.map;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Role;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.ValueConstants;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Makes the OpenAPI document out of the routes as Spring knows them, their roles and records, and the texts of people. */
final class OpenApiGenerator {

    private static final String BASE = "/api/v1";
    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    private final OpenApiTexts texts = OpenApiTexts.read();
    private final OpenApiSchemas schemas = new OpenApiSchemas(texts);

    Map<String, Object> document(RequestMappingHandlerMapping routes) {
        Map<String, Map<String, Object>> paths = new TreeMap<>();
        routes.getHandlerMethods().forEach((route, method) -> {
            for (String path : route.getPatternValues()) {
                if (path.startsWith(BASE + "/")) {
                    add(paths.computeIfAbsent(path.substring(BASE.length()), none -> new TreeMap<>()), route, method);
                }
            }
        });
        schemas.of(ProblemShape.class);
        addProblemTypes();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.1");
        document.put("info", texts.section("info"));
        document.put("servers", List.of(map("url", BASE, "description", "Any server of the cluster.")));
        document.put("security", List.of(map("token", List.of())));
        document.put("tags", texts.tags());
        document.put("paths", paths);
        document.put(
                "components",
                map("securitySchemes", texts.section("security"), "responses", problems(), "schemas", schemas.all()));
        return document;
    }

    private void add(Map<String, Object> path, RequestMappingInfo route, HandlerMethod method) {
        for (RequestMethod verb : route.getMethodsCondition().getMethods()) {
            String pattern = route.getPatternValues().iterator().next().substring(BASE.length());
            OpenApiTexts.Route said = texts.route(verb + " " + pattern);
            path.put(OpenApiSchemas.lower(verb), operation(said, verb, method));
        }
    }

    private Map<String, Object> operation(OpenApiTexts.Route said, RequestMethod verb, HandlerMethod method) {
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("operationId", said.text("id"));
        operation.put("tags", List.of(said.text("tag")));
        operation.put("summary", said.text("summary"));
        if (said.maybe("description") != null) {
            operation.put("description", said.text("description").strip());
        }
        operation.put("x-tandem-roles", roles(method));
        List<Object> parameters = parameters(said, method);
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        if (said.maybe("body") != null) {
            operation.put("requestBody", body(said));
        }
        operation.put("responses", responses(said, verb, method));
        return operation;
    }

    private static List<String> roles(HandlerMethod method) {
        AnnotatedElement element = method.hasMethodAnnotation(Needs.class) ? method.getMethod() : method.getBeanType();
        Needs needs = AnnotatedElementUtils.findMergedAnnotation(element, Needs.class);
        if (needs == null) {
            throw new AssertionError(method + " says not what it needs");
        }
        List<Permission> any = List.of(needs.value());
        return Stream.of(Role.PUBLISHER, Role.WORKER, Role.VIEWER, Role.OPERATOR, Role.ADMIN)
                .filter(role -> any.isEmpty() || any.stream().anyMatch(role::permits))
                .map(Role::text)
                .toList();
    }

    private List<Object> parameters(OpenApiTexts.Route said, HandlerMethod method) {
        List<Object> parameters = new ArrayList<>();
        for (Parameter parameter : method.getMethod().getParameters()) {
            PathVariable variable = AnnotatedElementUtils.getMergedAnnotation(parameter, PathVariable.class);
            RequestParam query = AnnotatedElementUtils.getMergedAnnotation(parameter, RequestParam.class);
            if (variable != null) {
                parameters.add(parameter(said, parameter.getName(), "path", parameter, ValueConstants.DEFAULT_NONE));
            } else if (query != null) {
                String name = query.name().isEmpty() ? parameter.getName() : query.name();
                parameters.add(parameter(said, name, "query", parameter, query.defaultValue()));
            }
        }
        OpenApiTexts.section(said.values(), "headers")
                .forEach((name, text) -> parameters.add(
                        map("name", name, "in", "header", "description", text, "schema", map("type", "string"))));
        return parameters;
    }

    private Map<String, Object> parameter(
            OpenApiTexts.Route said, String name, String in, Parameter parameter, String defaultValue) {
        Map<String, Object> text = texts.parameter(said, name);
        Map<String, Object> schema = new LinkedHashMap<>(schemas.of(parameter.getParameterizedType()));
        Map<String, Object> made = map("name", name, "in", in, "description", text.remove("description"));
        RequestParam query = AnnotatedElementUtils.getMergedAnnotation(parameter, RequestParam.class);
        boolean required = in.equals("path")
                || text.remove("required") != null
                || query != null && query.required() && defaultValue.equals(ValueConstants.DEFAULT_NONE);
        if (required) {
            made.put("required", true);
        }
        Object example = text.remove("example");
        if (!defaultValue.equals(ValueConstants.DEFAULT_NONE) && !defaultValue.isEmpty()) {
            schema.put("default", value(parameter.getType(), defaultValue));
        }
        Object style = text.remove("explode");
        schema.putAll(text);
        if (style != null) {
            made.put("explode", style);
        }
        made.put("schema", schema);
        if (example != null) {
            made.put("example", example);
        }
        return made;
    }

    private static Object value(Class<?> type, String text) {
        if (type == int.class) {
            return Integer.valueOf(text);
        }
        return type == boolean.class ? (Object) Boolean.valueOf(text) : text;
    }

    private Map<String, Object> body(OpenApiTexts.Route said) {
        Map<String, Object> content = new LinkedHashMap<>();
        Map<String, Object> bodies = OpenApiTexts.section(said.values(), "body");
        bodies.forEach((mediaType, described) -> {
            @SuppressWarnings("unchecked")
            Map<String, Object> one = (Map<String, Object>) described;
            Map<String, Object> media = new LinkedHashMap<>();
            if (one.get("schema") != null) {
                media.put("schema", named(one));
            }
            if (one.get("example") != null) {
                media.put("example", one.get("example"));
            }
            content.put(mediaType, media);
        });
        return map("required", said.maybe("bodyOptional") == null, "content", content);
    }

    /** Returns the schema that texts name: one of their own, a record, or some fields of a record. */
    @SuppressWarnings("unchecked")
    private Map<String, Object> named(Map<String, Object> one) {
        String name = String.valueOf(one.get("schema"));
        Object java = one.get("of");
        if (java == null) {
            return schemas.byName(name);
        }
        return one.get("fields") == null
                ? schemas.of(javaClass(java))
                : schemas.part(name, javaClass(java), (List<String>) one.get("fields"));
    }

    private static Class<?> javaClass(Object name) {
        try {
            return Class.forName("dev.tandem.server.api." + name.toString().replace('.', '$'));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(OpenApiTexts.FILE + " names no class of the API: " + name, e);
        }
    }

    private Map<String, Object> responses(OpenApiTexts.Route said, RequestMethod verb, HandlerMethod method) {
        Map<String, Object> responses = new LinkedHashMap<>();
        responses.put(status(said, method), success(said, method));
        boolean changes = verb != RequestMethod.GET;
        boolean hasPlace = Arrays.stream(method.getMethod().getParameters())
                .anyMatch(each -> each.isAnnotationPresent(PathVariable.class));
        List<Object> also = said.maybe("problems") instanceof List<?> more ? new ArrayList<>(more) : List.of();
        for (String status : texts.section("problems").keySet()) {
            boolean has = switch (status) {
                case "404" -> hasPlace;
                case "408", "413" -> said.maybe("body") != null;
                case "409" -> changes || also.contains(409);
                case "400", "401", "403", "429", "503", "default" -> true;
                default -> also.contains(Integer.valueOf(status));
            };
            if (has) {
                responses.put(status, map("$ref", "#/components/responses/" + problemName(status)));
            }
        }
        return responses;
    }

    private static String status(OpenApiTexts.Route said, HandlerMethod method) {
        if (said.maybe("status") != null) {
            return String.valueOf(said.maybe("status"));
        }
        ResponseStatus given = method.getMethodAnnotation(ResponseStatus.class);
        return given == null ? "200" : String.valueOf(given.value().value());
    }

    private Map<String, Object> success(OpenApiTexts.Route said, HandlerMethod method) {
        Map<String, Object> answer = map("description", said.maybe("answer") == null ? "Done." : said.text("answer"));
        Map<String, Object> given = OpenApiTexts.section(said.values(), "content");
        if (!given.isEmpty()) {
            answer.put("content", given);
            return answer;
        }
        Object java = said.maybe("returns");
        Map<String, Object> media = map(
                "schema",
                java == null
                        ? schemas.of(returned(method.getMethod().getGenericReturnType()))
                        : schemas.of(javaClass(java)));
        if (said.maybe("example") != null) {
            media.put("example", said.maybe("example"));
        }
        answer.put("content", map(JSON, media));
        return answer;
    }

    private static Type returned(Type type) {
        if (type instanceof ParameterizedType generic
                && (generic.getRawType() == DeferredResult.class || generic.getRawType() == ResponseEntity.class)) {
            return returned(generic.getActualTypeArguments()[0]);
        }
        return type;
    }

    @SuppressWarnings("unchecked")
    private void addProblemTypes() {
        Map<String, Object> problem = (Map<String, Object>) schemas.all().get("Problem");
        ((Map<String, Map<String, Object>>) problem.get("properties"))
                .get("type")
                .put(
                        "enum",
                        Stream.of(ProblemType.values())
                                .map(type -> type.uri().toString())
                                .toList());
    }

    /** Returns a sentence for a status, and the types that it may have. */
    private static String described(String status, Object text) {
        String types = Stream.of(ProblemType.values())
                .filter(type -> status.equals(String.valueOf(type.status().value())))
                .map(type -> "`" + type.uri() + "`")
                .collect(Collectors.joining(", "));
        return types.isEmpty() ? text.toString() : text + " Types: " + types + ".";
    }

    private Map<String, Object> problems() {
        Map<String, Object> responses = new LinkedHashMap<>();
        texts.section("problems")
                .forEach((status, text) -> responses.put(
                        problemName(status),
                        map(
                                "description",
                                described(status, text),
                                "content",
                                map(PROBLEM, map("schema", map("$ref", "#/components/schemas/Problem"))))));
        return responses;
    }

    private static String problemName(String status) {
        return status.equals("default") ? "Problem" : "Problem" + status;
    }

    /** What is wrong in a request: one of pointer, parameter and header says where. */
    record ProblemPlace(
            String detail,
            @Nullable String pointer,
            @Nullable String parameter,
            @Nullable String header) {}

    /** Only for the schema of problems, which are no records of the API. */
    record ProblemShape(
            String type,
            @Nullable String title,
            int status,
            @Nullable String detail,
            @Nullable String instance,
            @Nullable String remedy,
            @Nullable List<ProblemPlace> errors,
            @Nullable Integer changed,
            @Nullable List<PullViews.NotDone> lost,
            @Nullable List<PullViews.NotDone> unknown,
            @Nullable List<PullViews.NotDone> invalid,
            @Nullable Long lines,
            @Nullable Long accepted,
            @Nullable Long refused,
            @Nullable Long unconfirmed,
            @Nullable List<BatchViews.LineProblem> problems) {}
}
