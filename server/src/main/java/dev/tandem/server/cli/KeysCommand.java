package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows blocked keys, and reopens halted ones. */
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {"Shows blocked keys, and lets halted ones go on.", ""})
final class KeysCommand extends CommandGroup {

    private static final TextTable<JsonNode> BLOCKED_KEYS = new TextTable<JsonNode>()
            .column("KEY", text("key"))
            .column("PARTITION", text("partition"))
            .column("WHY", text("why"))
            .column("SINCE", time("since"))
            .column("HEAD", text("head"))
            .column("PARKED", text("parked"));

    KeysCommand() {
        super("list, show, retry, skip or drain?");
    }

    /** Names a key. */
    static final class KeyParameters {

        @Parameters(index = "0", paramLabel = "QUEUE")
        private String queue = "";

        @Parameters(index = "1", paramLabel = "KEY")
        private String key = "";
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows a queue's blocked keys.", ""})
    void list(@Mixin ServerOptions server, @Mixin PageOptions page, @Parameters(paramLabel = "QUEUE") String queue) {
        page.printPages(server, ApiClient.path("queues", queue, "keys"), new LinkedHashMap<>(), KeysCommand::print);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {"Shows whether a key is blocked, by which task, and what waits behind it.", ""})
    void show(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        server.print(server.api().get(ApiClient.path("queues", blocked.queue, "keys", blocked.key)), TaskRows::one);
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {"Runs the dead task that halts a key again, then those behind it.", ""})
    void retry(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        change(server, blocked, "retry", "Its dead task runs again");
    }

    @Command(
            name = "skip",
            mixinStandardHelpOptions = true,
            description = {"Leaves the dead task that halts a key behind; the next one goes on.", ""})
    void skip(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        change(server, blocked, "skip", "The next task goes on");
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = {"Moves all that waits behind a key to the dead tasks.", ""})
    void drain(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        change(server, blocked, "drain", "What waited behind it is dead");
    }

    private static void change(ServerOptions server, KeyParameters blocked, String action, String done) {
        server.print(
                server.api().post(ApiClient.path("queues", blocked.queue, "keys", blocked.key, action)),
                (answer, out) -> out.println(done));
    }

    private static void print(JsonNode answer, PrintWriter out) {
        BLOCKED_KEYS.print(answer.path("keys"), out);
    }
}
