package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows the limits of tasks that run at once in all executors, or who has the permits of one. */
@Command(
        name = "limits",
        mixinStandardHelpOptions = true,
        description = {"Shows limits of tasks that run at once in all executors, or who has the permits of one.", ""})
final class LimitsCommand implements Runnable {

    private static final TextTable<JsonNode> LIMITS = new TextTable<JsonNode>()
            .column("LIMIT", text("name"))
            .column("MAX", text("max"))
            .column("HELD", text("held"))
            .column("RUNNING", text("running"))
            .column("WAITING", text("waiting"));

    private static final TextTable<JsonNode> EXECUTORS = new TextTable<JsonNode>()
            .column("EXECUTOR", text("id"))
            .column("HELD", text("held"))
            .column("RUNNING", text("running"))
            .column("WAITING", text("waiting"))
            .column("LEASE (MS)", text("leaseMillis"));

    /** A run and its executor. */
    private record Row(JsonNode executor, JsonNode run) {}

    private static final TextTable<Row> RUNS = new TextTable<Row>()
            .column("EXECUTOR", text("id").compose(Row::executor))
            .column("QUEUE", text("queue").compose(Row::run))
            .column("ID", text("id").compose(Row::run))
            .column("REF", text("ref").compose(Row::run))
            .column(JsonCells.timeHeader("SINCE"), time("since").compose(Row::run));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "LIMIT", description = "shows this limit and its executors")
    private @Nullable String limit;

    @Override
    public void run() {
        if (limit == null) {
            server.print(
                    server.api().get(ApiClient.path("limits")),
                    (answer, out) -> LIMITS.print(answer.path("limits"), out));
        } else {
            server.print(server.api().get(ApiClient.path("limits", limit)), LimitsCommand::one);
        }
    }

    private static void one(JsonNode answer, PrintWriter out) {
        LIMITS.print(List.of(answer), out);
        out.println();
        EXECUTORS.print(answer.path("executors"), out);
        List<Row> runs = new ArrayList<>();
        for (JsonNode executor : answer.path("executors")) {
            executor.path("runs").forEach(run -> runs.add(new Row(executor, run)));
        }
        if (!runs.isEmpty()) {
            out.println();
            RUNS.print(runs, out);
        }
    }
}
