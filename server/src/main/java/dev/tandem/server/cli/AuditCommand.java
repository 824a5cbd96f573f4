package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows who changed what. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description = {"Shows who changed what by the API, the latest first. --all -o json exports all of it.", ""})
final class AuditCommand implements Runnable {

    private static final String PUBLISHED = "published";
    private static final TextTable<JsonNode> ROWS = rows().column("RESULT", text("result"));
    private static final TextTable<JsonNode> PUBLISHED_ROWS =
            rows().column("TASKS", text("tasks")).column("RESULT", text("result"));

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    private final PageOptions page = new PageOptions();

    @Option(names = "--from", paramLabel = "TIME", description = "the earliest time, such as 2026-11-20T10:00:00Z")
    private @Nullable String from;

    @Option(names = "--refused", description = "what was refused, instead of what was done")
    private boolean refused;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "what is shown: changes, refused, logins, login-links, failed-logins or published (tasks, by queue and number)")
    private @Nullable String kind;

    private static TextTable<JsonNode> rows() {
        return new TextTable<JsonNode>()
                .column(JsonCells.timeHeader("AT"), time("at"))
                .column("WHO", text("who"))
                .column("ROLE", text("role"))
                .column("FROM", text("from"))
                .column("ACTION", text("action"))
                .column("OF", text("subject"));
    }

    @Override
    public void run() {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        if (refused) {
            parameters.put("refused", "true");
        }
        parameters.put("kind", kind);
        parameters.put("from", from);
        page.printPages(server, ApiClient.path("audit"), parameters, (answer, out) -> {
            (PUBLISHED.equals(kind) ? PUBLISHED_ROWS : ROWS).print(answer.path("entries"), out);
            if (answer.has("next")) {
                out.println("There are more: --all, or --cursor "
                        + answer.path("next").asString());
            }
        });
    }
}
