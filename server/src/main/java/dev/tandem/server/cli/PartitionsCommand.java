package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.zonedTime;

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

/** Gives a queue's topic more partitions, and shows how far it is then. */
@Command(
        name = "partitions",
        mixinStandardHelpOptions = true,
        description = {
            "Shows how far a queue is whose Kafka topic got more partitions, or adds some.",
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

    @Option(names = "--to", paramLabel = "N", description = "gives the topic so many partitions")
    private @Nullable Integer to;

    @Mixin
    private final ConfirmOptions confirm = new ConfirmOptions();

    @Override
    public void run() {
        if (to != null) {
            grow(to);
            return;
        }
        server.print(server.api().get(ApiClient.path("queues", queue, "growths")), this::print);
    }

    private void grow(int wanted) {
        ApiClient api = server.api();
        String path = ApiClient.path("queues", queue, "partitions");
        int now = api.get(path).path("partitions").asInt();
        confirm.confirm("The topic of " + queue + " has " + now + " partitions. Give it " + wanted
                + "? Nothing takes them away again"
                + (wanted % Math.max(1, now) == 0
                        ? "."
                        : ", and with a multiple of " + now + " fewer keys would move."));
        Map<String, @Nullable String> numbers = new LinkedHashMap<>();
        numbers.put("from", Integer.toString(now));
        numbers.put("to", Integer.toString(wanted));
        server.print(api.post(ApiClient.query(path, numbers)), (answer, out) -> {
            out.println("The topic of " + queue + " has " + text("partitions").apply(answer)
                    + " partitions. Within a minute, the executors notice it.");
            out.println("Then tasks of keys that moved wait until the older ones of their keys are settled;"
                    + " other keys go on.");
            out.println("./tandem partitions " + queue + " shows how far that is. Do not add further partitions before"
                    + " the time that it names.");
        });
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
