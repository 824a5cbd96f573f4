package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Prints operations on many tasks. */
final class OperationRows {

    private static final TextTable<JsonNode> OPERATIONS = new TextTable<JsonNode>()
            .column("QUEUE", text("queue"))
            .column("OPERATION", text("operation"))
            .column("ACTION", text("action"))
            .column("DRY", each -> each.path("dryRun").asBoolean(false) ? "yes" : "-")
            .column("STATE", text("state"))
            .column("ASKED BY", text("askedBy"))
            .column("LOOKED", text("looked"))
            .column("MATCHED", text("matched"))
            .column("CHANGED", text("changed"))
            .column("REFUSED", text("refused"))
            .column(JsonCells.timeHeader("BEGAN"), time("began"))
            .column(JsonCells.timeHeader("ENDED"), time("ended"))
            .column("TASKS", OperationRows::selection);

    private OperationRows() {}

    /** Returns which tasks an operation takes: the filters that were given, as the options are called. */
    private static String selection(JsonNode operation) {
        List<String> filters = new ArrayList<>();
        operation.path("selection").properties().forEach(filter -> {
            JsonNode value = filter.getValue();
            List<String> texts = new ArrayList<>();
            if (value.isArray()) {
                value.forEach(each -> texts.add(each.asString("")));
            } else {
                texts.add(value.asString(""));
            }
            String name = filter.getKey().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            filters.add((name.equals("states") ? "" : name + "=") + String.join(",", texts));
        });
        return filters.isEmpty() ? "-" : String.join(" ", filters);
    }

    static void list(JsonNode answer, PrintWriter out) {
        OPERATIONS.print(answer.path("operations"), out);
    }

    static void one(JsonNode operation, PrintWriter out) {
        operation.properties().forEach(field -> {
            JsonNode value = field.getValue();
            out.println(field.getKey() + ": "
                    + TaskRows.printable(value.isContainer() ? value.toString() : value.asString()));
        });
    }

    /** Returns how far an operation is, on one line. */
    static String progress(JsonNode operation) {
        return TextTable.oneLine(operation.path("looked").asString("0") + " looked at, "
                + operation.path("changed").asString("0") + " changed, "
                + operation.path("partitionsDone").asString("0") + " of "
                + operation.path("partitions").asString("0") + " partitions done");
    }
}
