package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.zonedTime;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows how far a queue is whose topic got more partitions. */
@Command(
        name = "partitions",
        mixinStandardHelpOptions = true,
        description = {
            "Shows how far a queue is whose Kafka topic got more partitions.",
            "Tasks of keys that moved wait for those in their earlier partition.",
            ""
        })
final class PartitionsCommand implements Runnable {

    private static final int SHOWN_KEYS = 5;

    private static final TextTable<JsonNode> PARTITIONS = new TextTable<JsonNode>()
            .column("PARTITION", text("partition"))
            .column("END", text("end"))
            .column("SETTLED TO", text("settledTo"))
            .column("STATE", partition -> partition.path("settled").asBoolean() ? "settled" : "awaited")
            .column("MOVED KEYS NOT SETTLED", PartitionsCommand::keys);

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Override
    public void run() {
        server.print(server.api().get(ApiClient.path("queues", queue, "growths")), this::print);
    }

    private void print(JsonNode answer, PrintWriter out) {
        if (answer.path("growths").isEmpty()) {
            out.println("No task of " + queue + " waits for an earlier partition of its key");
            return;
        }
        for (JsonNode growth : answer.path("growths")) {
            out.printf(
                    "From %s to %s partitions, noticed at %s%n",
                    text("from").apply(growth),
                    text("to").apply(growth),
                    zonedTime("since").apply(growth));
            if (text("ends").apply(growth).equals("open")) {
                out.println("Producers may use the former number until "
                        + zonedTime("openUntil").apply(growth) + "; do not add further partitions before");
            }
            PARTITIONS.print(growth.path("partitions"), out);
        }
    }

    private static String keys(JsonNode partition) {
        List<String> shown = new ArrayList<>();
        for (JsonNode key : partition.path("movedKeys")) {
            if (shown.size() < SHOWN_KEYS) {
                shown.add(TaskRows.printable(key.asString()));
            }
        }
        int others = partition.path("movedKeys").size() - shown.size();
        if (partition.path("more").asBoolean()) {
            shown.add("perhaps more");
        } else if (others > 0) {
            shown.add(others + " more");
        }
        return shown.isEmpty() ? "-" : String.join(", ", shown);
    }
}
