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

/** Shows limits and rate limits, or who has the permits of one and which of its buckets are in use. */
@Command(
        name = "limits",
        mixinStandardHelpOptions = true,
        description = {
            "Shows limits of tasks that run at once in all executors and of those that begin in a time, or one of them.",
            ""
        })
final class LimitsCommand implements Runnable {

    private static final TextTable<JsonNode> LIMITS = new TextTable<JsonNode>()
            .column("LIMIT", text("name"))
            .column("MAX", text("max"))
            .column("HELD", text("held"))
            .column("RUNNING", text("running"))
            .column("WAITING", text("waiting"));

    private static final TextTable<JsonNode> RATES = new TextTable<JsonNode>()
            .column("RATE LIMIT", text("name"))
            .column("RATE", text("rate"))
            .column("BURST", text("burst"))
            .column("PER", text("per"))
            .column("IN USE", text("bucketsInUse"))
            .column("PAUSED", text("bucketsPaused"));

    private static final TextTable<JsonNode> BUCKETS = new TextTable<JsonNode>()
            .column("BUCKET", text("bucket"))
            .column(JsonCells.timeHeader("NEXT TASK"), time("nextAt"))
            .column(JsonCells.timeHeader("PAUSED UNTIL"), time("pausedUntil"));

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
            server.print(server.api().get(ApiClient.path("limits")), LimitsCommand::all);
        } else {
            server.print(server.api().get(ApiClient.path("limits", limit)), LimitsCommand::one);
        }
    }

    private static void all(JsonNode answer, PrintWriter out) {
        JsonNode limits = answer.path("limits");
        JsonNode rates = answer.path("rateLimits");
        if (!limits.isEmpty() || rates.isEmpty()) {
            LIMITS.print(limits, out);
        }
        if (!rates.isEmpty()) {
            if (!limits.isEmpty()) {
                out.println();
            }
            RATES.print(rates, out);
        }
    }

    private static void one(JsonNode answer, PrintWriter out) {
        if (answer.has("max")) {
            permits(answer, out);
        }
        if (answer.has("rateLimit")) {
            if (answer.has("max")) {
                out.println();
            }
            JsonNode rate = answer.path("rateLimit");
            RATES.print(List.of(rate), out);
            if (!rate.path("buckets").isEmpty()) {
                out.println();
                BUCKETS.print(rate.path("buckets"), out);
            }
        }
    }

    private static void permits(JsonNode answer, PrintWriter out) {
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
