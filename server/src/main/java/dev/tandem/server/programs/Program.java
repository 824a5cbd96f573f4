package dev.tandem.server.programs;

import dev.tandem.api.TaskContext;
import dev.tandem.runtime.settings.CommandSettings;
import dev.tandem.runtime.settings.CommandTemplate;
import dev.tandem.runtime.settings.CommandTemplate.Literal;
import dev.tandem.runtime.settings.CommandTemplate.OfPayload;
import dev.tandem.runtime.settings.CommandTemplate.OfTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** A program that the settings list, and how it is started for a task. Thread-safe. */
final class Program {

    /** Linux takes 128 KiB for one argument. */
    private static final int LONGEST_VALUE = 32 * 1024;

    /** Keeps numbers as they are written, as far as that goes. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** Says that a task has no values for the arguments, or such that are not allowed: it can never run. */
    static final class UnfitPayloadException extends Exception {

        UnfitPayloadException(String why) {
            super(why, null, false, false);
        }
    }

    private final CommandSettings settings;
    private final List<String> before;
    private final List<CommandTemplate> templates;

    /** @param before the words before the program: what starts it with its limits */
    Program(CommandSettings settings, List<String> before) {
        this.settings = settings;
        this.before = List.copyOf(before);
        this.templates = settings.args().stream().map(CommandTemplate::parse).toList();
    }

    CommandSettings settings() {
        return settings;
    }

    /** Returns all words of the call. */
    List<String> words(TaskContext task) throws UnfitPayloadException {
        List<String> words = new ArrayList<>(before);
        words.add(Objects.requireNonNull(settings.program(), "program"));
        JsonNode payload = null;
        for (CommandTemplate template : templates) {
            if (payload == null && template.needsPayload()) {
                payload = payload(task);
            }
            words.add(argument(template, task, payload));
        }
        return words;
    }

    private static JsonNode payload(TaskContext task) throws UnfitPayloadException {
        try {
            return JSON.readTree(task.payload());
        } catch (JacksonException e) {
            throw new UnfitPayloadException("the payload is not JSON, which the arguments of the command need");
        }
    }

    private String argument(CommandTemplate template, TaskContext task, @Nullable JsonNode payload)
            throws UnfitPayloadException {
        StringBuilder argument = new StringBuilder();
        for (CommandTemplate.Part part : template.parts()) {
            argument.append(value(part, task, payload));
        }
        String filled = argument.toString();
        if (template.beginsWithValue() && filled.startsWith("-") && !settings.allowOptions()) {
            throw new UnfitPayloadException(
                    "the value of " + template.text() + " begins with a hyphen, so that it could be an option");
        }
        return filled;
    }

    private static String value(CommandTemplate.Part part, TaskContext task, @Nullable JsonNode payload)
            throws UnfitPayloadException {
        if (part instanceof Literal literal) {
            return literal.text();
        } else if (part instanceof OfPayload ofPayload) {
            return checked(ofPayload.pointer(), text(payload, ofPayload.pointer()));
        }
        OfTask field = (OfTask) part;
        return checked("task." + field.name().toLowerCase(Locale.ROOT), ofTask(task, field));
    }

    private static String checked(String name, @Nullable String value) throws UnfitPayloadException {
        if (value == null) {
            throw new UnfitPayloadException("the payload has no text, number or boolean at " + name);
        } else if (value.indexOf('\0') >= 0 || value.length() > LONGEST_VALUE) {
            throw new UnfitPayloadException("the value of " + name + " is too long, or has a NUL");
        } else if (ProgramText.isBroken(value)) {
            throw new UnfitPayloadException(
                    "the value of " + name + " has half of a character, which no program could get");
        }
        return value;
    }

    private static @Nullable String text(@Nullable JsonNode payload, String pointer) {
        JsonNode value = payload == null ? null : payload.at(pointer);
        if (value == null || !value.isValueNode() || value.isNull()) {
            return null;
        }
        return value.isNumber() ? value.decimalValue().toString() : value.asString();
    }

    private static @Nullable String ofTask(TaskContext task, OfTask field) {
        return switch (field) {
            case ID -> task.id();
            case KEY -> task.key();
            case TYPE -> task.type();
            case QUEUE -> task.queue();
            case ATTEMPT -> Integer.toString(task.attempt());
        };
    }

    /** Starts the program. @param mark the name and the value of the variable by which its processes are found */
    Process start(List<String> words, TaskContext task, Map.Entry<String, String> mark) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(Path.of(settings.directory()).toFile());
        if (settings.stdin() == CommandSettings.Stdin.NONE) {
            builder.redirectInput(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        }
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(environment(task));
        environment.putAll(settings.environment());
        environment.put(mark.getKey(), mark.getValue());
        return builder.start();
    }

    private static Map<String, String> environment(TaskContext task) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        variables.put("LANG", "C.UTF-8");
        variables.put("TANDEM_QUEUE", task.queue());
        variables.put("TANDEM_ATTEMPT", Integer.toString(task.attempt()));
        variables.put("TANDEM_FENCING_TOKEN", Long.toString(task.token()));
        put(variables, "TANDEM_TASK_ID", task.id());
        put(variables, "TANDEM_TASK_TYPE", task.type());
        put(variables, "TANDEM_TASK_KEY", task.key());
        return variables;
    }

    private static void put(Map<String, String> variables, String name, @Nullable String value) {
        if (value != null && value.indexOf('\0') < 0 && !ProgramText.isBroken(value)) {
            variables.put(name, value);
        }
    }
}
