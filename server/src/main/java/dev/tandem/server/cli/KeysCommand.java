package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows blocked keys, and decides what becomes of the tasks that they wait for. */
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = {"Shows blocked keys, and lets halted ones go on.", ""})
final class KeysCommand extends CommandGroup {

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
            description = {"Shows a queue's blocked keys, with the task that each waits for.", ""})
    void list(@Mixin ServerOptions server, @Mixin PageOptions page, @Parameters(paramLabel = "QUEUE") String queue) {
        page.printPages(server, ApiClient.path("queues", queue, "keys"), new LinkedHashMap<>(), KeyRows::list);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {
                "Shows whether a key is blocked, by which task, what waits behind it, and which commands help.",
                ""
            })
    void show(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        server.print(
                server.api().get(ApiClient.path("queues", blocked.queue, "keys", blocked.key)),
                (key, out) -> KeyRows.one(blocked.queue, key, out));
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {
                "Runs the dead task that halts a key again, with all its attempts, then those behind it. If the key's first "
                        + "task only waits for its next attempt, it is due now.",
                ""
            })
    void retry(@Mixin ServerOptions server, @Mixin KeyParameters blocked) {
        change(server, blocked, "retry", false);
    }

    @Command(
            name = "skip",
            mixinStandardHelpOptions = true,
            description = {"Leaves the dead task that halts a key behind; the next one goes on.", ""})
    void skip(@Mixin ServerOptions server, @Mixin KeyParameters blocked, @Mixin Force force) {
        change(server, blocked, "skip", force.force);
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = {"Moves all that waits behind a halted key to the dead tasks, and opens the key.", ""})
    void drain(@Mixin ServerOptions server, @Mixin KeyParameters blocked, @Mixin Force force) {
        change(server, blocked, "drain", force.force);
    }

    /** Lets a command give up a task that is alive. */
    static final class Force {

        @Option(
                names = "--force",
                description = "also if the key is not halted: its first task, which still has attempts, dies")
        private boolean force;
    }

    private static void change(ServerOptions server, KeyParameters blocked, String action, boolean force) {
        String path = ApiClient.path("queues", blocked.queue, "keys", blocked.key, action);
        server.print(
                server.api().post(force ? path + "?force=true" : path),
                (answer, out) ->
                        out.println(TaskRows.printable(answer.path("did").asString("Done"))));
    }
}
