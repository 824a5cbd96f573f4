package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Shows blocked keys, and reopens halted ones. */
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {"Shows blocked keys, and lets halted ones go on.", ""})
final class KeysCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "list, show, retry, skip or drain?");
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows a queue's blocked keys.", ""})
    void list(@Mixin ServerOptions server, @Mixin PageOptions page, @Parameters(paramLabel = "QUEUE") String queue) {
        page.printPages(server, ApiClient.path("queues", queue, "keys"), new LinkedHashMap<>(), KeysCommand::rows);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {"Shows whether a key is blocked, by which task, and what waits behind it.", ""})
    void show(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1", paramLabel = "KEY") String key) {
        server.print(server.api().get(ApiClient.path("queues", queue, "keys", key)), TaskRows::one);
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {"Runs the dead task that halts a key again, then those behind it.", ""})
    void retry(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1", paramLabel = "KEY") String key) {
        change(server, queue, key, "retry", "Its dead task runs again");
    }

    @Command(
            name = "skip",
            mixinStandardHelpOptions = true,
            description = {"Leaves the dead task that halts a key behind; the next one goes on.", ""})
    void skip(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1", paramLabel = "KEY") String key) {
        change(server, queue, key, "skip", "The next task goes on");
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = {"Moves all that waits behind a key to the dead tasks.", ""})
    void drain(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1", paramLabel = "KEY") String key) {
        change(server, queue, key, "drain", "What waited behind it is dead");
    }

    private static void change(ServerOptions server, String queue, String key, String what, String done) {
        server.print(
                server.api().post(ApiClient.path("queues", queue, "keys", key, what)),
                (answer, out) -> out.println(done));
    }

    private static void rows(JsonNode answer, PrintWriter out) {
        TextTable table = new TextTable("KEY", "PARTITION", "WHY", "SINCE", "HEAD", "PARKED");
        for (JsonNode key : answer.path("keys")) {
            table.row(
                    TaskRows.text(key, "key"),
                    TaskRows.text(key, "partition"),
                    TaskRows.text(key, "why"),
                    TaskRows.time(key, "since"),
                    TaskRows.text(key, "head"),
                    TaskRows.text(key, "parked"));
        }
        table.print(out);
    }
}
