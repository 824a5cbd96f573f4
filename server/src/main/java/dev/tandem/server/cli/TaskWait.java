package dev.tandem.server.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Waits for the end of a task. The server waits, so a command sends one request for each half minute. */
final class TaskWait {

    private static final long MAX_REQUEST_MILLIS = 30_000;
    private static final long MAX_MILLIS = Duration.ofDays(1).toMillis();

    /** Like {@code dev.tandem.api.Durations}, which commands do not load. */
    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private final ServerOptions server;
    private final String text;
    private final long millis;

    /** @throws CliException if the text is no duration, or too long a one */
    TaskWait(ServerOptions server, String text) {
        this.server = server;
        this.text = text;
        this.millis = millis(text);
        if (millis < 1 || millis > MAX_MILLIS) {
            throw new CliException(
                    CliException.USAGE,
                    "--wait is '" + text + "': write 1ms to 1d, such as 500ms, 30s, 5m, 2h or PT30S");
        }
    }

    /** Returns 0 if the text is no duration. */
    private static long millis(String text) {
        Matcher simple = SIMPLE.matcher(text);
        try {
            if (!simple.matches()) {
                return Duration.parse(text).toMillis();
            } else if (simple.group(2).equals("ms")) {
                return Long.parseLong(simple.group(1));
            }
            String unit = simple.group(2).toUpperCase(Locale.ROOT);
            return Duration.parse((unit.equals("D") ? "P" : "PT") + simple.group(1) + unit)
                    .toMillis();
        } catch (DateTimeException | ArithmeticException e) {
            return 0;
        }
    }

    /** Waits and prints the task. @throws CliException if it has not succeeded */
    void run(String queue, String id) {
        ApiClient api = server.api();
        JsonNode answer;
        long left = millis;
        do {
            long asked = Math.min(left, MAX_REQUEST_MILLIS);
            Map<String, @Nullable String> parameters = new LinkedHashMap<>();
            parameters.put("timeout", asked + "ms");
            answer = api.get(ApiClient.query(ApiClient.path("queues", queue, "tasks", id, "end"), parameters));
            left -= asked;
        } while (left > 0 && !answer.path("ended").asBoolean(false));
        boolean ended = answer.path("ended").asBoolean(false);
        server.print(answer, (all, out) -> {
            if (ended) {
                TaskRows.one(all.path("task"), out);
            }
        });
        String state = answer.path("state").asString("");
        if (!ended) {
            throw new CliException(
                    CliException.REFUSED,
                    "The task '" + id + "' has not ended within " + text + ": "
                            + (state.isEmpty()
                                    ? "Redis does not know it. Without --wait the command asks executors, too"
                                    : "its state is " + state));
        } else if (!state.equals("succeeded")) {
            throw new CliException(
                    CliException.REFUSED, "The task '" + id + "' has not succeeded: its state is " + state);
        }
    }
}
