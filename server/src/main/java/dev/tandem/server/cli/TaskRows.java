package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints the tasks that the API returns. */
final class TaskRows {

    private static final TextTable<JsonNode> TASKS = new TextTable<JsonNode>()
            .column("ID", text("id"))
            .column("STATE", text("state"))
            .column("TYPE", text("type"))
            .column("KEY", text("key"))
            .column("ATTEMPTS", text("attempts"))
            .column(JsonCells.timeHeader("WHEN"), time("at"))
            .column("WAITS FOR", TaskRows::waitsFor)
            .column("ERROR", TaskRows::error)
            .wide("REF", text("ref"))
            .wide("BYTES", text("bytes"))
            .wide("EXECUTOR", text("executor"))
            .wide(JsonCells.timeHeader("PUBLISHED"), time("publishedAt"));

    private TaskRows() {}

    private static String waitsFor(JsonNode task) {
        return text(task.has("behind") ? "behind" : "waitsFor").apply(task);
    }

    /** Returns the last error, or that the task did not run because it was a duplicate. */
    private static String error(JsonNode task) {
        return task.has("duplicateOf")
                ? "duplicate of " + text("duplicateOf").apply(task)
                : firstLine(text("error").apply(task));
    }

    static void list(JsonNode answer, PrintWriter out) {
        table(answer.path("tasks"), out);
        more(answer, out);
    }

    static void table(JsonNode tasks, PrintWriter out) {
        TASKS.print(tasks, out);
    }

    /** Says how to get the next page, if there is one. */
    static void more(JsonNode answer, PrintWriter out) {
        if (!answer.path("next").isMissingNode()) {
            String what = answer.path("partial").asBoolean(false)
                    ? "The search ended early, to spare Redis. It goes on with"
                    : "There are more:";
            out.println(what + " --cursor " + answer.path("next").asString() + ", or --all");
        }
    }

    private static final TextTable<JsonNode> ATTEMPTS = new TextTable<JsonNode>()
            .column("ATTEMPT", text("attempt"))
            .column(JsonCells.timeHeader("STARTED"), time("at"))
            .column("TOOK MS", text("durationMillis"))
            .column("EXECUTOR", text("executor"))
            .column("ERROR", text("error").andThen(TaskRows::firstLine));

    private static final TextTable<JsonNode> LOG = new TextTable<JsonNode>()
            .column(JsonCells.timeHeader("LOGGED"), time("at"))
            .column("ATTEMPT", text("attempt"))
            .column("LINE", text("text"));

    static void one(JsonNode task, PrintWriter out) {
        for (String field : task.propertyNames()) {
            JsonNode value = task.path(field);
            switch (field) {
                case "history", "log" -> {}
                case "progress" -> out.println("progress: " + progress(value));
                case "checkpoint" ->
                    out.println("checkpoint: " + value.path("bytes").asString() + " bytes, saved "
                            + time("at").apply(value));
                default -> out.println(field + ": " + shown(value));
            }
        }
        if (task.has("log")) {
            out.println();
            LOG.print(task.path("log"), out);
        }
        if (task.has("history")) {
            out.println();
            ATTEMPTS.print(task.path("history"), out);
        }
    }

    private static String progress(JsonNode said) {
        String of = said.has("total") ? " of " + said.path("total").asString() : "";
        String text = said.has("text") ? ", " + said.path("text").asString() : "";
        return printable(said.path("done").asString() + of + text + ", at "
                + time("at").apply(said) + " (attempt " + said.path("attempt").asString() + ")");
    }

    private static String shown(JsonNode value) {
        return printable(value.isContainer() || value.isPojo() ? RawPayload.text(value) : value.asString());
    }

    static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    /** Replaces control characters that a terminal would obey, except line breaks and tabs. */
    static String printable(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]", "?");
    }
}
