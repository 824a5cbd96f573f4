package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints the timeline of a key. */
final class TimelineRows {

    private static final TextTable<JsonNode> TASKS = new TextTable<JsonNode>()
            .column("OFFSET", text("offset"))
            .column("ID", text("id"))
            .column("STATE", text("state"))
            .column("TYPE", text("type"))
            .column(JsonCells.timeHeader("PUBLISHED"), time("publishedAt"))
            .column(JsonCells.timeHeader("WHEN"), time("at"))
            .column("ATTEMPTS", text("attempts"))
            .column("WAITED MS", text("waitMillis"))
            .column("ERROR", text("error").andThen(TaskRows::firstLine))
            .wide("REF", text("ref"))
            .wide("EXECUTOR", text("executor"));

    private TimelineRows() {}

    static void print(JsonNode timeline, PrintWriter out) {
        JsonNode log = timeline.path("log");
        if (log.isObject()) {
            out.println("log: partition " + number(log, "partition") + ", offsets " + number(log, "from") + " to "
                    + number(log, "to") + " of " + number(log, "first") + " to " + number(log, "end") + ", "
                    + number(log, "records") + " records; stopped: " + number(log, "stop"));
        }
        if (timeline.has("logProblem")) {
            out.println(
                    "log: not read: " + TaskRows.printable(text("logProblem").apply(timeline)));
        }
        times("waits", timeline, out);
        times("runs", timeline, out);
        TASKS.print(timeline.path("tasks"), out);
        if (timeline.path("partial").asBoolean(false)) {
            out.println("The search in Redis ended early, to spare it. 'tasks --key' lists all");
        }
        if (timeline.has("next")) {
            out.println("There may be more: --before " + number(timeline, "next"));
        }
    }

    private static void times(String name, JsonNode timeline, PrintWriter out) {
        JsonNode times = timeline.path(name);
        if (times.isObject()) {
            out.println(name + ": p50 " + number(times, "p50Millis") + " ms, p95 " + number(times, "p95Millis")
                    + " ms, max " + number(times, "maxMillis") + " ms (" + number(times, "count") + " known)");
        }
    }

    private static String number(JsonNode object, String name) {
        return text(name).apply(object);
    }
}
