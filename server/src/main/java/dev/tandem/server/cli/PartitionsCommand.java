package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.zonedTime;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

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

    @Option(names = "--to", paramLabel = "N", description = "give the topic N partitions")
    private @Nullable Integer to;

    @Option(names = "--watch", description = "show a bar until no key waits for an earlier partition")
    private boolean watch;

    @Mixin
    private final ConfirmOptions confirm = new ConfirmOptions();

    @Override
    public void run() {
        if (to != null && watch) {
            throw new CliException(
                    CliException.USAGE,
                    "--watch has nothing to show before executors notice what --to does: leave one out");
        } else if (to != null) {
            grow(to);
            return;
        }
        ApiClient api = server.api();
        JsonNode shown = api.get(ApiClient.path("queues", queue, "growths"));
        if (watch) {
            shown = settled(api, shown);
        }
        server.print(shown, this::print);
    }

    /** Waits until all earlier partitions are settled. */
    private JsonNode settled(ApiClient api, JsonNode first) {
        JsonNode shown = first;
        Progress progress = new Progress(server);
        try {
            while (count(shown, false) < count(shown, true)) {
                long done = count(shown, false);
                long all = count(shown, true);
                progress.show(done, all, done + " of " + all + " earlier partitions are settled");
                LockSupport.parkNanos(LOOK_NANOS);
                shown = api.get(ApiClient.path("queues", queue, "growths"));
            }
        } finally {
            progress.end();
        }
        return shown;
    }

    /** Counts the earlier partitions of all growths. @param all whether also those that are not settled */
    private static long count(JsonNode answer, boolean all) {
        return answer.path("growths")
                .valueStream()
                .flatMap(growth -> growth.path("partitions").valueStream())
                .filter(partition -> all || partition.path("settled").asBoolean(false))
                .count();
    }

    private void grow(int wanted) {
        ApiClient api = server.api();
        String path = ApiClient.path("queues", queue, "partitions");
        int now = api.get(path).path("partitions").asInt();
        if (wanted <= now) {
            throw new CliException(
                    CliException.REFUSED,
                    "The topic of " + queue + " has " + now + " partitions already, and cannot get fewer: say --to with"
                            + " more");
        }
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
            out.println("Until then, the new ones have no owner, and ./tandem queues says so. Their tasks wait.");
            out.println("Then tasks of keys that moved wait until the older ones of their keys are settled;"
                    + " other keys go on.");
            out.println("./tandem partitions " + queue + " shows how far that is, once it is noticed. Do not add"
                    + " further partitions before the time that it names then.");
        });
    }

    private void print(JsonNode answer, PrintWriter out) {
        if (answer.path("growths").isEmpty()) {
            out.println("No task of " + queue + " waits for an earlier partition of its key. If the topic got more"
                    + " partitions within the last minute, executors have not noticed it yet");
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
