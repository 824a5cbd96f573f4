package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import tools.jackson.databind.JsonNode;

/** Prints the tasks that the API returns. */
final class TaskRows {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private TaskRows() {}

    static void list(JsonNode answer, PrintWriter out) {
        TextTable table = new TextTable("ID", "STATE", "TYPE", "KEY", "ATTEMPTS", "WHEN", "ERROR");
        for (JsonNode task : answer.path("tasks")) {
            table.row(
                    text(task, "id"),
                    text(task, "state"),
                    text(task, "type"),
                    text(task, "key"),
                    text(task, "attempts"),
                    time(task, "at"),
                    firstLine(text(task, "error")));
        }
        table.print(out);
        if (!answer.path("next").isMissingNode()) {
            out.println("There are more: --cursor " + answer.path("next").asString() + ", or --all");
        }
    }

    static void one(JsonNode task, PrintWriter out) {
        for (String field : task.propertyNames()) {
            JsonNode value = task.path(field);
            out.println(field + ": " + (value.isContainer() ? value.toString() : printable(value.asString())));
        }
    }

    static String text(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.isMissingNode() || value.isNull() ? "-" : value.asString();
    }

    static String time(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.isMissingNode() || value.isNull() ? "-" : TIME.format(Instant.parse(value.asString()));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** Replaces control characters that a terminal would obey, except line breaks and tabs. */
    private static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "?");
    }
}
