package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists running tasks: where each runs, and until when its claim holds. */
@Command(
        name = "running",
        mixinStandardHelpOptions = true,
        description = {"Shows which tasks run where, those first that have run for longest.", ""})
final class RunningCommand implements Runnable {

    private static final TextTable<JsonNode> TASKS = new TextTable<JsonNode>()
            .column("QUEUE", text("queue"))
            .column("ID", text("id"))
            .column("TYPE", text("type"))
            .column("KEY", text("key"))
            .column("ATTEMPT", text("attempt"))
            .column(JsonCells.timeHeader("SINCE"), time("since"))
            .column("EXECUTOR", text("executor"))
            .column("CLAIM UNTIL", time("claimedUntil"))
            .column("WORKER", RunningCommand::worker)
            .column("PROGRESS", RunningCommand::progress)
            .wide("LEASE UNTIL", time("worker", "leaseUntil"))
            .wide("REF", text("ref"));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "QUEUE", description = "only tasks of this queue")
    private @Nullable String queue;

    @Option(names = "--executor", paramLabel = "ID", description = "only tasks of this executor")
    private @Nullable String executor;

    @Option(names = "--type", paramLabel = "TYPE", description = "only tasks of this type")
    private @Nullable String type;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "the most tasks, up to 500. Default: ${DEFAULT-VALUE}")
    private int limit;

    @Override
    public void run() {
        String path = queue == null ? ApiClient.path("running") : ApiClient.path("queues", queue, "running");
        Map<String, @Nullable String> choice = new LinkedHashMap<>();
        choice.put("executor", executor);
        choice.put("type", type);
        choice.put("limit", Integer.toString(limit));
        server.print(server.api().get(ApiClient.query(path, choice)), RunningCommand::print);
    }

    private static void print(JsonNode answer, PrintWriter out) {
        TASKS.print(answer.path("running"), out);
        if (answer.path("partial").asBoolean(false)) {
            out.println("There may be others: executors have claimed "
                    + answer.path("claimed").asString() + " tasks.");
        }
        List<String> silent = new ArrayList<>();
        answer.path("silent").forEach(each -> silent.add(each.asString()));
        if (!silent.isEmpty()) {
            out.println(TextTable.oneLine("Without an answer from " + String.join(", ", silent)
                    + ": of the tasks that only the broker has, id and type are not known."));
        }
        out.flush();
    }

    /** Returns the pull worker that has a task. */
    private static String worker(JsonNode task) {
        JsonNode worker = task.path("worker");
        return worker.isMissingNode() ? "-" : worker.path("name").asString("unnamed");
    }

    /** Returns how far a task is, or what it waits for. */
    private static String progress(JsonNode task) {
        if (task.has("waitsFor")) {
            return "waits for " + task.path("waitsFor").asString();
        }
        JsonNode progress = task.path("progress");
        if (progress.isMissingNode()) {
            return "-";
        }
        String of = progress.has("total") ? "/" + progress.path("total").asString() : "";
        String text = progress.has("text") ? " " + progress.path("text").asString() : "";
        return progress.path("done").asString() + of + text;
    }
}
