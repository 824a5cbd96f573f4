package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows all queues, or one queue with its partitions. */
@Command(
        name = "queues",
        mixinStandardHelpOptions = true,
        description = {"Shows all queues, or one with its partitions.", ""})
final class QueuesCommand implements Runnable {

    private static final TextTable<JsonNode> QUEUES = withCounts(new TextTable<JsonNode>()
                    .column("QUEUE", text("name"))
                    .column("SOURCE", text("source"))
                    .column("ORDERING", text("ordering")))
            .column("HALTED", QueuesCommand::halted)
            .column("RUNNING/MAX", QueuesCommand::limit)
            .column("STATE", QueuesCommand::state)
            .wide("SUCCEEDED", text("totals", "succeeded"))
            .wide("FAILED", text("totals", "retried"))
            .wide("EXPIRED", text("totals", "expired"))
            .wide("CANCELLED", text("totals", "cancelled"));

    private static final TextTable<JsonNode> PARTITIONS = withCounts(new TextTable<JsonNode>()
                    .column("PARTITION", text("partition"))
                    .column("OWNER", text("owner")))
            .column("IN MEMORY", text("memory", "tasks"))
            .column("BYTES", text("memory", "bytes"));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE", arity = "0..1", description = "only this one, with its partitions")
    private @Nullable String queue;

    /** Adds the columns that queues and partitions share. */
    private static TextTable<JsonNode> withCounts(TextTable<JsonNode> table) {
        return table.column("LAG", text("lag"))
                .column("OLDEST", JsonCells.age("oldestWaitMillis"))
                .column("ACTIVE", text("counts", "active"))
                .column("SCHEDULED", text("counts", "scheduled"))
                .column("RETRY", text("counts", "retry"))
                .column("PARKED", text("counts", "parked"))
                .column("DEAD", text("counts", "dead"))
                .column("BLOCKED", text("blockedKeys"));
    }

    /** Returns how many tasks run and how many may, if the queue has such a limit. */
    private static String limit(JsonNode queue) {
        return queue.has("limit")
                ? text("limit", "running").apply(queue) + "/"
                        + text("limit", "max").apply(queue)
                : "-";
    }

    /** Returns how many keys are halted, with a plus if there may be more. */
    private static String halted(JsonNode queue) {
        return text("haltedKeys").apply(queue)
                + (queue.path("haltedKeysPartial").asBoolean(false) ? "+" : "");
    }

    private static String state(JsonNode queue) {
        return text("state").apply(queue);
    }

    private static void printProblems(JsonNode queue, PrintWriter out) {
        for (JsonNode problem : queue.path("problems")) {
            out.println(text("name").apply(queue) + ": " + TextTable.oneLine(problem.asString()));
        }
        if (queue.has("eventsWaitingBytes")) {
            out.printf(
                    "%s: %s bytes of events wait to be published%n",
                    text("name").apply(queue), text("eventsWaitingBytes").apply(queue));
        }
    }

    @Override
    public void run() {
        if (queue == null) {
            server.print(server.api().get(ApiClient.path("queues")), QueuesCommand::list);
        } else {
            server.print(server.api().get(ApiClient.path("queues", queue)), QueuesCommand::one);
        }
    }

    private static void list(JsonNode answer, PrintWriter out) {
        QUEUES.print(answer.path("queues"), out);
        answer.path("queues").forEach(queue -> printProblems(queue, out));
    }

    private static void one(JsonNode queue, PrintWriter out) {
        QUEUES.print(List.of(queue), out);
        printProblems(queue, out);
        out.println();
        PARTITIONS.print(queue.path("partitions"), out);
        for (JsonNode partition : queue.path("partitions")) {
            JsonNode full = partition.path("full");
            if (full.isObject()) {
                out.println();
                out.printf(
                        "Partition %s: Redis parks no more than the %d tasks behind the key %s; further ones wait in the broker%n",
                        text("partition").apply(partition),
                        full.path("parked").asLong(),
                        text("key").apply(full));
            }
            JsonNode tooMany = partition.path("tooManyBlockedKeys");
            if (tooMany.isObject()) {
                out.println();
                out.printf(
                        "Partition %s starts no task of a further key: %d of at most %d keys are blocked%n",
                        text("partition").apply(partition),
                        tooMany.path("blockedKeys").asLong(),
                        tooMany.path("max").asLong());
            }
        }
    }
}
