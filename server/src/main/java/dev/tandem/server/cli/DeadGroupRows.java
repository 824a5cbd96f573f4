package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints the dead tasks of a queue by type and error. */
final class DeadGroupRows {

    private static final TextTable<JsonNode> GROUPS = new TextTable<JsonNode>()
            .column("FINGERPRINT", text("fingerprint"))
            .column("TASKS", text("count"))
            .column("HALTED", text("halting"))
            .column(JsonCells.timeHeader("LAST DIED"), time("lastDied"))
            .column("TYPE", text("type"))
            .column("ERROR", text("error").andThen(TaskRows::firstLine))
            .wide(JsonCells.timeHeader("FIRST DIED"), time("firstDied"));

    private DeadGroupRows() {}

    static void list(JsonNode answer, PrintWriter out) {
        GROUPS.print(answer.path("groups").valueStream().toList(), out);
        if (answer.path("partial").asBoolean(false)) {
            out.println("There are more groups, and some of these may have more tasks than shown");
        }
        long ungrouped = answer.path("ungrouped").asLong(0);
        if (ungrouped > 0) {
            out.println(ungrouped + " dead " + (ungrouped == 1 ? "task is" : "tasks are")
                    + " in no group, since an earlier version let them die: ./tandem dead list");
        }
    }
}
