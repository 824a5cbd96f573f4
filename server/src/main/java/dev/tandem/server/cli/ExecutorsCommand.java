package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Lists the live executors. */
@Command(
        name = "executors",
        mixinStandardHelpOptions = true,
        description = {"Shows the executors that are alive.", ""})
final class ExecutorsCommand implements Runnable {

    /** A queue that an executor serves. */
    private record Row(JsonNode executor, JsonNode queue) {}

    private static final TextTable<Row> ROWS = new TextTable<Row>()
            .column("EXECUTOR", text("id").compose(Row::executor))
            .column("QUEUE", text("queue").compose(Row::queue))
            .column("PARTITIONS", text("partitions").compose(Row::queue))
            .column("RUNNING", text("running").compose(Row::queue))
            .column("LACKS", row -> lacks(row.queue()))
            .column(JsonCells.timeHeader("SEEN"), time("seen").compose(Row::executor))
            .wide("HOST", text("host").compose(Row::executor))
            .wide(JsonCells.timeHeader("STARTED"), time("started").compose(Row::executor))
            .wide("TYPES", row -> types(row.queue().path("types")));

    /** Returns the types for which other executors have handlers and this one has none. */
    private static String lacks(JsonNode queue) {
        return types(queue.path("lacks"));
    }

    private static String types(JsonNode listed) {
        List<String> types = new ArrayList<>();
        listed.forEach(type -> types.add(type.asString()));
        return TextTable.oneLine(String.join(", ", types));
    }

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Override
    public void run() {
        server.print(server.api().get(ApiClient.path("executors")), ExecutorsCommand::print);
    }

    private static void print(JsonNode answer, PrintWriter out) {
        List<Row> rows = new ArrayList<>();
        for (JsonNode executor : answer.path("executors")) {
            executor.path("queues").forEach(queue -> rows.add(new Row(executor, queue)));
        }
        ROWS.print(rows, out);
    }
}
