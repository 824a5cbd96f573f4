package dev.tandem.server.api;

import dev.tandem.api.Durations;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.runtime.queues.Schedules;
import dev.tandem.runtime.schedules.Schedule;
import dev.tandem.runtime.settings.ScheduleSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.task.LogText;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON form of a schedule that somebody creates or changes: the settings of one, in words. It is checked like those of a
 * program.
 *
 * @param fields null stands for the default
 */
record ScheduleBody(Map<String, @Nullable String> fields) {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final List<String> NAMES = List.of(
            "queue",
            "type",
            "key",
            "payload",
            "cron",
            "zone",
            "every",
            "misfire",
            "misfireAfter",
            "misfireMax",
            "overlap",
            "jitter");

    /** All programs with the queue keep the payload in memory. */
    private static final int MAX_PAYLOAD = 16_384;

    private static final int MAX_NAME = 1_024;
    private static final int MAX_SHOWN = 60;

    /** Reads a body. @throws ApiException if it is no schedule as JSON */
    static ScheduleBody read(byte[] body) {
        try {
            return of(JSON.readTree(body));
        } catch (JacksonException e) {
            throw ProblemType.INVALID_BODY.refusal(
                    "The body is not a schedule as JSON: " + e.getOriginalMessage(), "See docs/protocol.md");
        }
    }

    /** Returns the form of a created schedule. */
    static ScheduleBody of(Definition definition) {
        Map<String, @Nullable String> fields = new TreeMap<>();
        JsonNode node = JSON.readTree(definition.definition());
        NAMES.forEach(name -> fields.put(name, node.has(name) ? node.path(name).asString() : null));
        fields.put("payload", definition.payload());
        return new ScheduleBody(fields);
    }

    private static ScheduleBody of(JsonNode node) {
        if (!node.isObject()) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "",
                    "The body is no JSON object",
                    "Send one with a queue, and cron or every; see docs/protocol.md");
        }
        Map<String, @Nullable String> fields = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            if (!NAMES.contains(name)) {
                throw ApiException.field(
                        ProblemType.INVALID_BODY,
                        "/" + ApiException.escaped(name),
                        "There is no field '" + shown(name) + "'",
                        "Use " + String.join(", ", NAMES));
            }
            if (!value.isNull() && !value.isString() && !(value.isNumber() && !name.equals("payload"))) {
                throw ApiException.field(
                        ProblemType.INVALID_BODY,
                        "/" + name,
                        name + " is no text",
                        name.equals("payload")
                                ? "Write the payload as one JSON string, also if it is JSON itself"
                                : "Write it as a JSON string");
            }
            fields.put(name, value.isNull() ? null : value.asString());
        }
        return new ScheduleBody(fields);
    }

    /** Returns this with some fields changed. One of {@code cron} and {@code every} takes the place of the other. */
    ScheduleBody with(ScheduleBody changes) {
        Map<String, @Nullable String> all = new TreeMap<>(fields);
        if (changes.fields.get("cron") != null) {
            all.remove("every");
        } else if (changes.fields.get("every") != null) {
            all.remove("cron");
            all.remove("zone");
        }
        all.putAll(changes.fields);
        return new ScheduleBody(all);
    }

    /** Returns the schedule. @throws ApiException if it cannot fire by a process with these settings */
    Schedule schedule(String id, TandemSettings settings) {
        checkLength("type", MAX_NAME);
        checkLength("key", MAX_NAME);
        checkLength("payload", MAX_PAYLOAD);
        ScheduleSettings made = new ScheduleSettings(
                true,
                fields.get("queue"),
                fields.get("type"),
                fields.get("key"),
                text("payload", ""),
                fields.get("cron"),
                text("zone", "UTC"),
                fields.get("every") == null ? null : duration("every", ""),
                choice("misfire", Misfire.class, Misfire.ONE),
                duration("misfireAfter", "1m"),
                number("misfireMax", 100),
                choice("overlap", Overlap.class, Overlap.ALLOW),
                duration("jitter", "0s"));
        List<String> problems = made.problems(id, settings);
        if (!problems.isEmpty()) {
            throw ProblemType.INVALID_BODY.refusal(
                    "The schedule cannot fire: " + String.join("; ", problems), "Correct it and send it again");
        }
        return Schedules.of(id, made);
    }

    private void checkLength(String name, int max) {
        String text = fields.get(name);
        if (text != null && text.getBytes(StandardCharsets.UTF_8).length > max) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/" + name,
                    name + " is longer than " + max + " bytes",
                    "Use a shorter one");
        }
    }

    private String text(String name, String otherwise) {
        String text = fields.get(name);
        return text == null ? otherwise : text;
    }

    private Duration duration(String name, String otherwise) {
        try {
            return Durations.parse(name, text(name, otherwise));
        } catch (InvalidTaskException e) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/" + name,
                    LogText.oneLine(String.valueOf(e.getMessage()), 300),
                    "Correct " + name);
        }
    }

    private int number(String name, int otherwise) {
        String text = fields.get(name);
        try {
            return text == null ? otherwise : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw ApiException.field(
                    ProblemType.INVALID_BODY,
                    "/" + name,
                    name + " is '" + shown(text) + "'",
                    "Use a whole number, 1 to 1000");
        }
    }

    private <E extends Enum<E>> E choice(String name, Class<E> choices, E otherwise) {
        String text = fields.get(name);
        if (text == null) {
            return otherwise;
        }
        E[] all = choices.getEnumConstants();
        return Arrays.stream(all)
                .filter(each -> Views.lower(each).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> ApiException.field(
                        ProblemType.INVALID_BODY,
                        "/" + name,
                        name + " is '" + shown(text) + "'",
                        "Use " + Arrays.stream(all).map(Views::lower).collect(Collectors.joining(", "))));
    }

    private static String shown(String text) {
        return LogText.oneLine(text, MAX_SHOWN);
    }
}
