package dev.tandem.server.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Lists the live executors. */
@Command(
        name = "executors",
        mixinStandardHelpOptions = true,
        description = {"Shows the executors that are alive.", ""})
final class ExecutorsCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Override
    public void run() {
        server.print(server.api().get(ApiClient.path("executors")), ExecutorsCommand::rows);
    }

    private static void rows(JsonNode answer, PrintWriter out) {
        TextTable table = new TextTable("EXECUTOR", "QUEUE", "PARTITIONS", "RUNNING", "SEEN");
        for (JsonNode executor : answer.path("executors")) {
            for (JsonNode queue : executor.path("queues")) {
                table.row(
                        TaskRows.text(executor, "id"),
                        TaskRows.text(queue, "queue"),
                        TaskRows.text(queue, "partitions"),
                        TaskRows.text(queue, "running"),
                        TaskRows.time(executor, "seen"));
            }
        }
        table.print(out);
    }
}
