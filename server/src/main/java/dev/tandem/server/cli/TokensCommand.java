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

/** Lists, creates and revokes tokens. */
@Command(
        name = "tokens",
        mixinStandardHelpOptions = true,
        description = {"Shows who may call the API; creates and revokes tokens.", ""})
final class TokensCommand extends CommandGroup {

    private static final String TOKENS = "tokens";

    private static final TextTable<JsonNode> ROWS = new TextTable<JsonNode>()
            .column("ID", text("id"))
            .column("NAME", text("name"))
            .column("ROLE", text("role"))
            .column("QUEUES", TokensCommand::queues)
            .column(JsonCells.timeHeader("CREATED"), time("createdAt"))
            .column("BY", text("createdBy"))
            .column(JsonCells.timeHeader("EXPIRES"), time("expiresAt"));

    TokensCommand() {
        super("list, create, revoke or print?");
    }

    private static String queues(JsonNode token) {
        List<String> queues = new ArrayList<>();
        token.path("queues").forEach(queue -> queues.add(queue.asString()));
        return queues.isEmpty() ? "-" : TextTable.oneLine(String.join(", ", queues));
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows all tokens, without their secrets.", ""})
    void list(@Mixin ServerOptions server) {
        server.print(server.api().get(ApiClient.path(TOKENS)), (answer, out) -> ROWS.print(answer.path(TOKENS), out));
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = {"Creates a token and prints it. It is not shown again.", ""})
    void create(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "NAME", description = "whose it is, for people") String name,
            @Option(
                            names = "--role",
                            required = true,
                            paramLabel = "ROLE",
                            description = "viewer, operator, admin, publisher or worker")
                    String role,
            @Option(
                            names = "--queues",
                            paramLabel = "QUEUES",
                            description = "the queues of a publisher or worker, separated by commas (default: all)")
                    @Nullable
                    String queues,
            @Option(names = "--expires", paramLabel = "TIME", description = "such as 90d (default: never)") @Nullable
                    String expires) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("name", name);
        parameters.put("role", role);
        parameters.put("queues", queues);
        parameters.put("expires", expires);
        server.print(
                server.api().post(ApiClient.query(ApiClient.path(TOKENS), parameters)),
                (answer, out) -> out.println(answer.path("token").asString()));
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = {"Revokes a token. All servers refuse it within two seconds.", ""})
    void revoke(@Mixin ServerOptions server, @Parameters(paramLabel = "ID") String id) {
        server.print(
                server.api().delete(ApiClient.path(TOKENS, id)),
                (answer, out) -> out.println("The token " + id + " is revoked"));
    }

    @Command(
            name = "print",
            mixinStandardHelpOptions = true,
            description = {
                "Prints the token that commands send to the server, for other programs:",
                "curl -H \"Authorization: Bearer $(tandem tokens print)\" http://127.0.0.1:8080/api/v1/queues",
                ""
            })
    void print(@Mixin ServerOptions server) {
        String token = CliToken.of(server.address(), server.target().tokenFile(), System::getenv)
                .orElseThrow(() -> new CliException(
                        CliException.REFUSED,
                        "There is no token for " + server.address()
                                + " here. Run ./tandem login, or set TANDEM_TOKEN"));
        PrintWriter out = server.out();
        out.println(token);
        out.flush();
    }
}
