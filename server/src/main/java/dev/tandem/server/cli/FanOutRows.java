package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/** Prints fan-outs for people. */
final class FanOutRows {

    private static final Set<String> NOT_ENDED = Set.of("publishing", "running");
    private static final int MOST_MISSING = 20;

    private FanOutRows() {}

    static void list(JsonNode answer, PrintWriter out) {
        new TextTable<JsonNode>()
                .column("FAN-OUT", text("id"))
                .column("QUEUE", each -> each.path("master").path("queue").asString())
                .column("TYPE", each -> each.path("master").path("type").asString())
                .column("STATE", FanOutRows::state)
                .column("ENDED", FanOutRows::ended)
                .column("FAILED", text("failed"))
                .column("CANCELLED", text("cancelled"))
                .column("SINCE", time("since"))
                .print(answer.path("fanOuts"), out);
        if (answer.has("next")) {
            out.println("More: --cursor " + answer.path("next").asString());
        }
    }

    static void one(JsonNode fanOut, PrintWriter out) {
        JsonNode master = fanOut.path("master");
        out.println("Fan-out " + text("id").apply(fanOut) + " of task "
                + text("id").apply(master) + " (" + text("type").apply(master) + ") of queue "
                + text("queue").apply(master) + ": " + state(fanOut));
        out.println(ended(fanOut) + " subtasks have ended: "
                + text("succeeded").apply(fanOut) + " succeeded, "
                + text("failed").apply(fanOut) + " failed, "
                + text("cancelled").apply(fanOut) + " were cancelled");
        if (fanOut.has("why")) {
            out.println("Stopped: " + text("why").apply(fanOut));
        }
        if (fanOut.has("parent")) {
            out.println("Its master is the subtask " + text("parent").apply(fanOut)
                    + (fanOut.path("awaitsMaster").asBoolean(false) ? ", which has not ended" : ""));
        }
        if (fanOut.has("finalTask")) {
            out.println("Its final task is " + text("finalTask").apply(fanOut) + " of queue "
                    + text("finalQueue").apply(fanOut));
        }
        for (JsonNode error : fanOut.path("errors")) {
            out.println("  subtask " + error.path("number").asString() + ": "
                    + error.path("error").asString());
        }
    }

    static void recount(JsonNode answer, PrintWriter out) {
        one(answer.path("fanOut"), out);
        JsonNode missing = answer.path("missing");
        if (missing.isEmpty()) {
            out.println("No subtask is missing");
        } else {
            String id = answer.path("fanOut").path("id").asString();
            String first = StreamSupport.stream(missing.spliterator(), false)
                    .limit(MOST_MISSING)
                    .map(JsonNode::asString)
                    .collect(Collectors.joining(", "));
            out.println("Not ended: " + first + (missing.size() > MOST_MISSING ? ", ..." : "")
                    + ". Unless its request says otherwise, the id of such a subtask is " + id + "-"
                    + missing.get(0).asString());
        }
    }

    static boolean hasEnded(JsonNode fanOut) {
        return !NOT_ENDED.contains(fanOut.path("state").asString());
    }

    /** Returns a line that shows how far a fan-out is. */
    static String bar(JsonNode fanOut) {
        long total = Math.max(
                fanOut.path("subtasks").asLong(0), fanOut.path("published").asLong(0));
        long ended = fanOut.path("ended").asLong(0);
        String bar = total == 0 && hasEnded(fanOut) ? Progress.bar(1, 1) : Progress.bar(ended, total);
        return bar + " " + ended(fanOut) + " " + state(fanOut);
    }

    private static String state(JsonNode fanOut) {
        return fanOut.path("state").asString()
                + (fanOut.has("stopped")
                        ? ", stopped (" + fanOut.path("stopped").asString() + ")"
                        : "");
    }

    private static String ended(JsonNode fanOut) {
        return fanOut.path("ended").asString() + " of "
                + (fanOut.has("subtasks")
                        ? fanOut.path("subtasks").asString()
                        : fanOut.path("published").asString() + " and more");
    }
}
