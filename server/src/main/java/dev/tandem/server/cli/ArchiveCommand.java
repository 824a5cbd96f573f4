package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows how tasks ended, from the archive. */
@Command(
        name = "archive",
        mixinStandardHelpOptions = true,
        description = {
            "Shows how tasks ended, from the archive of a server that has one, the latest first: those of the last 24 hours, "
                    + "or since --from.",
            ""
        })
final class ArchiveCommand implements Runnable {

    private static final TextTable<JsonNode> ATTEMPTS = new TextTable<JsonNode>()
            .column(JsonCells.timeHeader("AT"), time("at"))
            .column("STATE", text("state"))
            .column("ATTEMPT", text("attempt"))
            .column("EXECUTOR", text("executor"))
            .column("ERROR", text("error"));

    private static final TextTable<JsonNode> ENDS = new TextTable<JsonNode>()
            .column(JsonCells.timeHeader("AT"), time("at"))
            .column("QUEUE", text("queue"))
            .column("ID", text("id"))
            .column("STATE", text("state"))
            .column("TYPE", text("type"))
            .column("KEY", text("key"))
            .column("ATTEMPT", text("attempt"))
            .column("ERROR", text("error"));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    private final PageOptions page = new PageOptions();

    @Parameters(index = "0", paramLabel = "QUEUE", arity = "0..1", description = "only this one")
    private @Nullable String queue;

    @Parameters(index = "1", paramLabel = "ID", arity = "0..1", description = "only this task, with its attempts")
    private @Nullable String one;

    @Option(names = "--id", paramLabel = "ID", description = "all with this id")
    private @Nullable String id;

    @Option(names = "--key", paramLabel = "KEY", description = "only those of this key")
    private @Nullable String key;

    @Option(names = "--type", paramLabel = "TYPE", description = "only those of this type")
    private @Nullable String type;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "succeeded, dead, expired or cancelled; failed or snoozed for attempts (default: all ends)")
    private @Nullable String state;

    @Option(names = "--from", paramLabel = "TIME", description = "the earliest time, such as 2026-11-20T10:00:00Z")
    private @Nullable String from;

    @Option(names = "--until", paramLabel = "TIME", description = "the time before which they ended")
    private @Nullable String until;

    @Override
    public void run() {
        if (queue != null && one != null) {
            server.print(
                    server.api().get(ApiClient.path("queues", queue, "archive", one)),
                    (answer, out) -> ATTEMPTS.print(answer.path("outcomes"), out));
            return;
        }
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("queue", queue);
        parameters.put("id", id);
        parameters.put("key", key);
        parameters.put("type", type);
        parameters.put("state", state);
        parameters.put("from", from);
        parameters.put("until", until);
        page.printPages(server, ApiClient.path("archive"), parameters, (answer, out) -> {
            ENDS.print(answer.path("outcomes"), out);
            if (answer.has("next")) {
                out.println("There are more: --all, or --cursor "
                        + answer.path("next").asString());
            }
        });
    }
}
