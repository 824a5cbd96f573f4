package dev.tandem.server.cli;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows all queues, or one queue with its partitions. */
@Command(
        name = "queues",
        mixinStandardHelpOptions = true,
        description = {"Shows all queues, or one with its partitions.", ""})
final class QueuesCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE", arity = "0..1", description = "only this one, with its partitions")
    private @Nullable String queue;

    @Override
    public void run() {
        if (queue == null) {
            server.print(server.api().get(ApiClient.path("queues")), QueuesCommand::list);
        } else {
            server.print(server.api().get(ApiClient.path("queues", queue)), QueuesCommand::one);
        }
    }

    private static void list(JsonNode answer, PrintWriter out) {
        TextTable table = new TextTable(
                "QUEUE",
                "SOURCE",
                "ORDERING",
                "LAG",
                "ACTIVE",
                "SCHEDULED",
                "RETRY",
                "PARKED",
                "DEAD",
                "BLOCKED",
                "STATE");
        for (JsonNode queue : answer.path("queues")) {
            JsonNode counts = queue.path("counts");
            table.row(
                    TaskRows.text(queue, "name"),
                    TaskRows.text(queue, "source"),
                    TaskRows.text(queue, "ordering"),
                    TaskRows.text(queue, "lag"),
                    TaskRows.text(counts, "active"),
                    TaskRows.text(counts, "scheduled"),
                    TaskRows.text(counts, "retry"),
                    TaskRows.text(counts, "parked"),
                    TaskRows.text(counts, "dead"),
                    TaskRows.text(queue, "blockedKeys"),
                    queue.path("paused").asBoolean(false) ? "paused" : "running");
        }
        table.print(out);
    }

    private static void one(JsonNode queue, PrintWriter out) {
        ObjectNode listOfOne = ApiClient.JSON.createObjectNode();
        listOfOne.putArray("queues").add(queue);
        list(listOfOne, out);
        out.println();
        TextTable table =
                new TextTable("PARTITION", "OWNER", "LAG", "ACTIVE", "SCHEDULED", "RETRY", "PARKED", "DEAD", "BLOCKED");
        for (JsonNode partition : queue.path("partitions")) {
            JsonNode counts = partition.path("counts");
            table.row(
                    TaskRows.text(partition, "partition"),
                    TaskRows.text(partition, "owner"),
                    TaskRows.text(partition, "lag"),
                    TaskRows.text(counts, "active"),
                    TaskRows.text(counts, "scheduled"),
                    TaskRows.text(counts, "retry"),
                    TaskRows.text(counts, "parked"),
                    TaskRows.text(counts, "dead"),
                    TaskRows.text(partition, "blockedKeys"));
        }
        table.print(out);
        for (JsonNode partition : queue.path("partitions")) {
            JsonNode full = partition.path("full");
            if (full.isObject()) {
                out.println();
                out.printf(
                        "Partition %s is full and takes in nothing more: %d tasks are parked behind the key %s%n",
                        TaskRows.text(partition, "partition"),
                        full.path("parked").asLong(),
                        TaskRows.text(full, "key"));
            }
        }
    }
}
