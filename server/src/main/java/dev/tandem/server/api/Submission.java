package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.LogText;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A task to be published, as headers and bytes like any message. It is checked in the same way as a message on arrival,
 * so that every unreadable task is refused before it is published.
 */
record Submission(List<TaskHeaders.Field> fields, @Nullable String key, byte[] payload, boolean json) {

    /** The most characters of a wrong name that a problem shows. */
    private static final int MAX_NAME = 100;

    private static final String PREFIX = "tandem-";

    private static final Set<String> FIELDS = Arrays.stream(Body.class.getRecordComponents())
            .map(RecordComponent::getName)
            .collect(Collectors.toUnmodifiableSet());

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** The JSON form of a task. Times and numbers may be text, as in headers. */
    record Body(
            @Nullable JsonText payload,
            @Nullable String payloadText,
            @Nullable String payloadBase64,
            @Nullable String id,
            @Nullable String type,
            @Nullable String key,
            @Nullable String notBefore,
            @Nullable String delay,
            @Nullable String timeout,
            @Nullable String maxAttempts,
            @Nullable String priority,
            @Nullable String expiresAt,
            @Nullable String ttl,
            @Nullable String dedupKey,
            @Nullable String dedupMode,
            @Nullable String dedupWindow,
            @Nullable String dependsOn,
            @Nullable String dependsPolicy,
            @Nullable String dependsTimeout,
            @Nullable Map<String, String> headers) {}

    /** Reads the JSON form. @throws ApiException if the bytes are not a task as JSON */
    static Submission json(byte[] bytes) {
        Body body;
        try {
            body = JSON.readerFor(Body.class)
                    .withAttribute(JsonText.Reader.class, bytes)
                    .readValue(bytes);
        } catch (UnrecognizedPropertyException e) {
            // A batch keeps many of these.
            String name = LogText.oneLine(e.getPropertyName(), MAX_NAME);
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/" + ApiException.escaped(name),
                    Sentence.of("problem.no-field", name),
                    Sentence.of("remedy.fields-of-task", e.getKnownPropertyIds()));
        } catch (JacksonException e) {
            throw ProblemType.INVALID_BODY.refusal(
                    Sentence.of(
                            "problem.no-task-as-json",
                            e.getOriginalMessage().replaceAll("java(\\.\\w+)*\\.(\\w+)", "$2")),
                    Sentence.of("remedy.no-task-as-json"));
        }
        if (body == null) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY, "", Sentence.of("problem.null-body"), Sentence.of("remedy.null-body"));
        }
        List<TaskHeaders.Field> fields = new ArrayList<>();
        if (body.headers() != null) {
            body.headers().forEach((name, value) -> add(fields, name, value));
        }
        add(fields, TaskHeaders.ID, body.id());
        add(fields, TaskHeaders.TYPE, body.type());
        add(fields, TaskHeaders.NOT_BEFORE, body.notBefore());
        add(fields, TaskHeaders.DELAY, body.delay());
        add(fields, TaskHeaders.TIMEOUT, body.timeout());
        add(fields, TaskHeaders.MAX_ATTEMPTS, body.maxAttempts());
        add(fields, TaskHeaders.PRIORITY, body.priority());
        add(fields, TaskHeaders.EXPIRES_AT, body.expiresAt());
        add(fields, TaskHeaders.TTL, body.ttl());
        add(fields, TaskHeaders.DEDUP_KEY, body.dedupKey());
        add(fields, TaskHeaders.DEDUP_MODE, body.dedupMode());
        add(fields, TaskHeaders.DEDUP_WINDOW, body.dedupWindow());
        add(fields, TaskHeaders.DEPENDS_ON, body.dependsOn());
        add(fields, TaskHeaders.DEPENDS_POLICY, body.dependsPolicy());
        add(fields, TaskHeaders.DEPENDS_TIMEOUT, body.dependsTimeout());
        if (body.payload() != null
                && fields.stream().noneMatch(field -> field.name().equals(TaskHeaders.CONTENT_TYPE))) {
            add(fields, TaskHeaders.CONTENT_TYPE, "application/json");
        }
        return new Submission(fields, body.key(), payload(body), true);
    }

    private static byte[] payload(Body body) {
        int given = (body.payload() != null ? 1 : 0)
                + (body.payloadText() != null ? 1 : 0)
                + (body.payloadBase64() != null ? 1 : 0);
        if (given > 1) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/payload",
                    Sentence.of("problem.payloads"),
                    Sentence.of("remedy.payloads"));
        }
        if (body.payload() != null) {
            return body.payload().bytes();
        }
        if (body.payloadText() != null) {
            return body.payloadText().getBytes(StandardCharsets.UTF_8);
        }
        if (body.payloadBase64() == null) {
            return new byte[0];
        }
        try {
            return Base64.getDecoder().decode(body.payloadBase64());
        } catch (IllegalArgumentException e) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/payloadBase64",
                    Sentence.of("problem.no-base64", String.valueOf(e.getMessage())),
                    Sentence.of("remedy.no-base64"));
        }
    }

    /** Takes the body as the payload. @param headers those headers of the request that belong to the message */
    static Submission raw(Map<String, String> headers, byte[] payload) {
        List<TaskHeaders.Field> fields = new ArrayList<>();
        Map<String, String> rest = new LinkedHashMap<>(headers);
        String key = rest.remove(TaskHeaders.KEY);
        rest.forEach((name, value) -> add(fields, name, value));
        return new Submission(fields, key, payload, false);
    }

    /**
     * Returns the same, with a name as id and deduplication key where it has none of its own.
     *
     * @param window for how long the key is taken
     */
    Submission recognised(String name, Duration window) {
        List<TaskHeaders.Field> all = new ArrayList<>(fields);
        if (!has(TaskHeaders.ID)) {
            add(all, TaskHeaders.ID, name);
        }
        if (!has(TaskHeaders.DEDUP_KEY)) {
            add(all, TaskHeaders.DEDUP_KEY, name);
            all.removeIf(field -> isNamed(field, TaskHeaders.DEDUP_MODE));
            add(all, TaskHeaders.DEDUP_MODE, "first");
            all.removeIf(field -> isNamed(field, TaskHeaders.DEDUP_WINDOW));
            add(all, TaskHeaders.DEDUP_WINDOW, Long.toString(window.toMillis()));
        }
        return new Submission(all, key, payload, json);
    }

    private boolean has(String header) {
        return fields.stream().anyMatch(field -> isNamed(field, header));
    }

    private static boolean isNamed(TaskHeaders.Field field, String header) {
        return field.name().equalsIgnoreCase(header);
    }

    private static void add(List<TaskHeaders.Field> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.add(TaskHeaders.Field.of(name, value));
        }
    }

    /** Returns the checked task. @throws ApiException if it would be unreadable on arrival */
    Task task(TaskHeaders reader, long nowMillis) {
        byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        TaskHeaders.Read read =
                reader.read(fields, new TaskHeaders.Origin(keyBytes, null, null, null, nowMillis, nowMillis), payload);
        if (read.unreadable() != null) {
            throw refusal(
                    Sentence.of("problem.not-publishable", Sentence.problem(read.unreadable())),
                    Sentence.of("remedy.correct-and-send"));
        }
        for (TaskHeaders.Field field : fields) {
            byte[] value = field.value();
            if (value != null && field.name().equals(TaskHeaders.DELAY)) {
                String delay = new String(value, StandardCharsets.UTF_8);
                if (TaskHeaders.isNegativeDelay(delay)) {
                    throw refusal(TaskHeaders.DELAY, GivenDelay.detail(delay), GivenDelay.REMEDY);
                }
            }
        }
        return read.task();
    }

    /** Refuses the task because of the header that the detail names, if it names one. */
    private ApiException refusal(Sentence detail, Sentence remedy) {
        String english = detail.english();
        return fields.stream()
                .map(TaskHeaders.Field::name)
                .filter(name -> name.startsWith(PREFIX) && english.contains(name))
                .max(Comparator.comparingInt(String::length))
                .map(name -> refusal(name, detail, remedy))
                .orElseGet(() -> ProblemType.INVALID_TASK.refusal(detail, remedy));
    }

    private ApiException refusal(String header, Sentence detail, Sentence remedy) {
        return json
                ? ApiException.field(ProblemType.INVALID_TASK, pointer(header), detail, remedy)
                : ApiException.header(ProblemType.INVALID_TASK, header, detail, remedy);
    }

    /** Returns where the JSON form has a header: {@code tandem-max-attempts} is in {@code maxAttempts}. */
    private static String pointer(String header) {
        StringBuilder field = new StringBuilder("/");
        for (String word : header.substring(PREFIX.length()).split("-")) {
            field.append(field.length() == 1 ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return FIELDS.contains(field.substring(1)) ? field.toString() : "/headers/" + ApiException.escaped(header);
    }
}
