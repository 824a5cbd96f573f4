package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows which task has a deduplication key, and frees it. */
@Command(
        name = "dedup",
        mixinStandardHelpOptions = true,
        description = {
            "Shows which task has a deduplication key, and until when others with the key are duplicates. Or frees it.",
            ""
        })
final class DedupCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "the deduplication key")
    private String key = "";

    @Option(
            names = "--free",
            description = "free the key: the next task with it runs, even if the task that has it has not ended")
    private boolean free;

    @Override
    public void run() {
        if (free) {
            server.print(
                    server.api().delete(ApiClient.path("queues", queue, "dedup-keys", key)),
                    (answer, out) -> out.println(TaskRows.printable(key)
                            + (answer.path("changed").asInt() > 0 ? " is free now" : " was free already")));
            return;
        }
        server.print(server.api().get(ApiClient.path("queues", queue, "dedup-keys", key)), this::print);
    }

    private void print(JsonNode answer, PrintWriter out) {
        if (!answer.has("ref")) {
            out.println("Nothing is known of the deduplication key " + TaskRows.printable(key) + ": it is free");
            return;
        }
        boolean taken = answer.path("taken").asBoolean(false);
        out.println(TaskRows.printable(key) + (taken ? " is taken" : " is free"));
        print(answer, "id", out);
        print(answer, "ref", out);
        print(answer, "state", out);
        out.println("came: " + time("since").apply(answer));
        out.println("due: " + time("dueAt").apply(answer));
        if (taken) {
            out.println("taken until: " + time("takenUntil").apply(answer));
        }
        out.println("other tasks: " + text("others").apply(answer));
    }

    private static void print(JsonNode answer, String field, PrintWriter out) {
        out.println(field + ": " + TaskRows.printable(text(field).apply(answer)));
    }
}
