package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints dead tasks by type and error: those of a queue, or of all queues. */
final class DeadGroupRows {

    private static final TextTable<JsonNode> GROUPS = withGroups(new TextTable<>());
    private static final TextTable<JsonNode> OF_ALL =
            withGroups(new TextTable<JsonNode>().column("QUEUE", text("queue")));

    private DeadGroupRows() {}

    private static TextTable<JsonNode> withGroups(TextTable<JsonNode> table) {
        return table.column("FINGERPRINT", text("fingerprint"))
                .column("TASKS", text("count"))
                .column("HALTED", text("halting"))
                .column(JsonCells.timeHeader("LAST DIED"), time("lastDied"))
                .column("TYPE", text("type"))
                .column("ERROR", text("error").andThen(TaskRows::firstLine))
                .wide(JsonCells.timeHeader("FIRST DIED"), time("firstDied"));
    }

    static void list(JsonNode answer, PrintWriter out) {
        GROUPS.print(answer.path("groups").valueStream().toList(), out);
        printRest(answer, "", out);
    }

    static void all(JsonNode answer, PrintWriter out) {
        OF_ALL.print(answer.path("groups").valueStream().toList(), out);
        printRest(answer, " QUEUE", out);
        answer.path("unread").propertyStream().forEach(queue -> {
            String name = TaskRows.printable(queue.getKey());
            out.println(
                    name + ": " + queue.getValue().asLong() + " dead, not shown above: ./tandem dead groups " + name);
        });
        answer.path("unknown")
                .valueStream()
                .forEach(queue -> out.println(TaskRows.printable(queue.asString(""))
                        + ": nobody knows how many are dead, since Redis does not tell"));
    }

    private static void printRest(JsonNode answer, String queue, PrintWriter out) {
        if (answer.path("partial").asBoolean(false)) {
            out.println("There may be more groups, and some of these may have more tasks than shown");
        }
        long ungrouped = answer.path("ungrouped").asLong(0);
        if (ungrouped > 0) {
            out.println(ungrouped + " dead " + (ungrouped == 1 ? "task is" : "tasks are")
                    + " in no group, since an earlier version let them die: ./tandem dead list" + queue);
        }
    }
}
