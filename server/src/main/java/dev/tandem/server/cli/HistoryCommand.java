package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows what became of the runs of a queue, and how long they waited and took. */
@Command(
        name = "history",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what became of the runs of a queue in the last hours or days, and how long tasks waited and ran.",
            ""
        })
final class HistoryCommand implements Runnable {

    /** The steps of a table of a page or less, by range. */
    private static final Map<String, String> STEPS = Map.of("1h", "5m", "3h", "15m", "24h", "1h", "14d", "12h");

    private static final TextTable<JsonNode> POINTS = new TextTable<JsonNode>()
            .column(JsonCells.timeHeader("FROM"), time("at"))
            .column("STARTED", text("started"))
            .column("SUCCEEDED", text("succeeded"))
            .column("RETRIED", text("retried"))
            .column("DEAD", text("dead"))
            .wide("EXPIRED", text("expired"))
            .wide("CANCELLED", text("cancelled"))
            .wide("DUPLICATES", text("duplicates"))
            .column("WAIT P50", duration("waits", "p50Millis"))
            .wide("WAIT P95", duration("waits", "p95Millis"))
            .column("WAIT P99", duration("waits", "p99Millis"))
            .column("RUN P50", duration("runs", "p50Millis"))
            .wide("RUN P95", duration("runs", "p95Millis"))
            .column("RUN P99", duration("runs", "p99Millis"));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Option(
            names = "--range",
            paramLabel = "TIME",
            defaultValue = "24h",
            description = "1h, 3h, 24h or 14d (default: ${DEFAULT-VALUE})")
    private String range = "";

    @Option(
            names = "--step",
            paramLabel = "TIME",
            description = "how long a line is (default: 5m, 15m, 1h or 12h, by the range)")
    private @Nullable String step;

    @Override
    public void run() {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("range", range);
        parameters.put("step", step == null ? STEPS.get(range) : step);
        server.print(
                server.api().get(ApiClient.query(ApiClient.path("queues", queue, "history"), parameters)),
                HistoryCommand::print);
    }

    private static void print(JsonNode answer, PrintWriter out) {
        List<JsonNode> rows = rows(answer);
        JsonNode total = answer.path("total");
        out.printf("started  %s  %d%n", line(rows, row -> number(row, "started")), number(total, "started"));
        out.printf("failed   %s  %d%n", line(rows, HistoryCommand::failed), failed(total));
        out.println();
        POINTS.print(rows, out);
    }

    private static String line(List<JsonNode> rows, ToLongFunction<JsonNode> what) {
        return Sparkline.of(rows.stream().mapToLong(what).toArray());
    }

    private static long failed(JsonNode point) {
        return number(point, "retried") + number(point, "dead");
    }

    private static long number(JsonNode point, String name) {
        return point.path(name).asLong(0);
    }

    /** Returns all points, with those in which nothing happened. */
    private static List<JsonNode> rows(JsonNode answer) {
        Map<Instant, JsonNode> known = new LinkedHashMap<>();
        answer.path("points")
                .forEach(point -> known.put(Instant.parse(point.path("at").asString()), point));
        Instant until = Instant.parse(answer.path("until").asString());
        long step = Math.max(60, answer.path("stepSeconds").asLong(0));
        List<JsonNode> rows = new ArrayList<>();
        for (Instant at = Instant.parse(answer.path("from").asString());
                at.isBefore(until);
                at = at.plusSeconds(step)) {
            JsonNode point = known.get(at);
            rows.add(point == null ? nothing(at) : point);
        }
        return rows;
    }

    private static ObjectNode nothing(Instant at) {
        ObjectNode point = ApiClient.JSON.createObjectNode();
        point.put("at", at.toString());
        for (String name : List.of("started", "succeeded", "retried", "dead", "expired", "cancelled", "duplicates")) {
            point.put(name, 0);
        }
        return point;
    }

    private static Function<JsonNode, String> duration(String what, String percentile) {
        return point -> {
            JsonNode millis = point.path(what).path(percentile);
            return millis.isNumber() ? duration(millis.asDouble()) : "-";
        };
    }

    /** Returns a duration with two or three digits and its unit. */
    static String duration(double millis) {
        if (millis == 0) {
            return "0ms";
        } else if (millis < 0.9995) {
            return Math.round(millis * 1_000) + "us";
        } else if (millis < 999.5) {
            return shown(millis) + "ms";
        } else if (millis < 119_500) {
            return shown(millis / 1_000) + "s";
        } else if (millis < 7_200_000) {
            return shown(millis / 60_000) + "m";
        }
        return millis < 172_800_000 ? shown(millis / 3_600_000) + "h" : shown(millis / 86_400_000) + "d";
    }

    private static String shown(double number) {
        return number < 9.95 ? String.format(Locale.ROOT, "%.1f", number) : Long.toString(Math.round(number));
    }
}
