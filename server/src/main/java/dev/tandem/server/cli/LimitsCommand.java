package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shows limits and rate limits, or who has the permits of one and which of its buckets are in use. Sets and resets their numbers. */
@Command(
        name = "limits",
        mixinStandardHelpOptions = true,
        description = {
            "Shows limits of tasks that run at once in all executors and of those that begin in a time, or one of them; sets and "
                    + "resets their numbers.",
            ""
        })
final class LimitsCommand implements Runnable {

    private static final TextTable<JsonNode> LIMITS = new TextTable<JsonNode>()
            .column("LIMIT", text("name"))
            .column("MAX", text("max"))
            .column("HELD", text("held"))
            .column("RUNNING", text("running"))
            .column("WAITING", text("waiting"))
            .column("CHANGED", LimitsCommand::changedMax);

    private static final TextTable<JsonNode> RATES = new TextTable<JsonNode>()
            .column("RATE LIMIT", text("name"))
            .column("RATE", text("rate"))
            .column("BURST", text("burst"))
            .column("PER", text("per"))
            .column("IN USE", text("bucketsInUse"))
            .column("PAUSED", text("bucketsPaused"))
            .column("CHANGED", LimitsCommand::changedRate);

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

    private static final String HOW_TO_SET =
            "No limit is set, and executors have used none within a day. These settings "
                    + "make one (docs/flow-control.md):\n"
                    + "  tandem.queues.<queue>.max-running: 2    at most two tasks of a queue at once, in all executors\n"
                    + "  tandem.limits.<name>.max-running: 5     the same for tasks of several queues, of some types or keys\n"
                    + "  tandem.rate-limits.<name>.rate: 100/s   how many tasks begin in a time";

    private static final String AS_SET = "what the settings of its executors say";

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

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Sets the number of a limit in all executors at once, in place of the settings, until it is reset. Tasks that run go on.",
                ""
            })
    void set(
            @Mixin ServerOptions its,
            @Parameters(paramLabel = "LIMIT") String name,
            @Option(names = "--max-running", paramLabel = "N", description = "the most tasks at once: 1 to 100000")
                    @Nullable
                    Integer max,
            @Option(
                            names = "--rate",
                            paramLabel = "RATE",
                            description = "how many tasks begin in which time, such as 100/s or 5/m")
                    @Nullable
                    String rate,
            @Option(
                            names = "--burst",
                            paramLabel = "N",
                            description = "with --rate: how many may begin at once (default: as before)")
                    @Nullable
                    Integer burst) {
        if ((max == null) == (rate == null) || rate == null && burst != null) {
            throw new CliException(
                    CliException.USAGE,
                    "Give --max-running of a limit of tasks at once, or --rate of a rate limit, and --burst with it");
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        if (max != null) {
            body.put("maxRunning", max);
        } else {
            body.put("rate", rate);
        }
        if (burst != null) {
            body.put("burst", burst);
        }
        its.print(its.api().put(ApiClient.path("limits", name, "override"), body), LimitsCommand::changed);
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description = {"Lets the settings of a limit hold again in all executors.", ""})
    void reset(@Mixin ServerOptions its, @Parameters(paramLabel = "LIMIT") String name) {
        its.print(its.api().delete(ApiClient.path("limits", name, "override")), LimitsCommand::changed);
    }

    /** Says which numbers are in force now, which were before, and whether tasks must end until others start. */
    private static void changed(JsonNode answer, PrintWriter out) {
        String name = TaskRows.printable(answer.path("name").asString(""));
        JsonNode limit = answer.path("limit");
        if (!limit.isMissingNode()) {
            out.println(name + ": " + change(number(limit, "maxRunning"), number(limit, "maxRunningBefore")));
            int above =
                    limit.path("running").asInt(0) - limit.path("maxRunning").asInt(Integer.MAX_VALUE);
            if (above >= 0) {
                out.println(limit.path("running").asInt() + " run. None starts until " + (above + 1)
                        + (above == 0 ? " has ended" : " have ended"));
            }
        }
        JsonNode rate = answer.path("rateLimit");
        if (!rate.isMissingNode()) {
            out.println(name + ": " + change(rate(rate, "rate", "burst"), rate(rate, "rateBefore", "burstBefore")));
        }
    }

    private static String change(String now, String before) {
        return now.equals(before) ? now + ", as before" : now + ", before " + before;
    }

    private static String number(JsonNode limit, String field) {
        return limit.has(field) ? "at most " + limit.path(field).asString("") + " at once" : AS_SET;
    }

    private static String rate(JsonNode limit, String rate, String burst) {
        return limit.has(rate)
                ? limit.path(rate).asString("") + " with a burst of "
                        + limit.path(burst).asInt()
                : AS_SET;
    }

    private static String changedMax(JsonNode limit) {
        return limit.path("override").isMissingNode()
                ? "-"
                : "from " + text("configured").apply(limit) + byWhom(limit.path("override"));
    }

    private static String changedRate(JsonNode limit) {
        JsonNode configured = limit.path("configured");
        String from = configured.isMissingNode()
                ? "the settings"
                : text("rate").apply(configured) + " burst " + text("burst").apply(configured);
        return limit.path("override").isMissingNode() ? "-" : "from " + from + byWhom(limit.path("override"));
    }

    private static String byWhom(JsonNode override) {
        return " by " + text("by").apply(override) + " at " + time("at").apply(override);
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
        if (limits.isEmpty() && rates.isEmpty()) {
            out.println();
            out.println(HOW_TO_SET);
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
