package dev.tandem.server.cli;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Cells of a table that show a value of a JSON object. A missing value, or null, is shown as a dash. */
final class JsonCells {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private JsonCells() {}

    /** Shows the value as it is. @param path the names that lead to the value */
    static Function<JsonNode, String> text(String... path) {
        return cell(path, JsonNode::asString);
    }

    /** Shows for how long something waits, given in milliseconds. @param path the names that lead to the value */
    static Function<JsonNode, String> age(String... path) {
        return cell(path, value -> value.asLong() == 0 ? "none" : HistoryCommand.duration(value.asLong()));
    }

    /** Shows a time in this machine's time zone. @param path the names that lead to the value */
    static Function<JsonNode, String> time(String... path) {
        return cell(path, value -> TIME.format(Instant.parse(value.asString())));
    }

    /** Shows a time with its zone. @param path the names that lead to the value */
    static Function<JsonNode, String> zonedTime(String... path) {
        return cell(path, value -> TIME.format(Instant.parse(value.asString())) + " " + ZoneId.systemDefault());
    }

    /** Returns the header of a column of times, which says their time zone. */
    static String timeHeader(String name) {
        return name + " (" + ZoneId.systemDefault().getId() + ")";
    }

    private static Function<JsonNode, String> cell(String[] path, Function<JsonNode, String> format) {
        return object -> {
            JsonNode value = object;
            for (String name : path) {
                value = value.path(name);
            }
            return value.isMissingNode() || value.isNull() ? "-" : format.apply(value);
        };
    }
}
