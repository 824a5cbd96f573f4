package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
        super("list, show, timeline, retry, skip or drain?");
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
            description = {
                "Shows a queue's blocked keys, with the task that each waits for. Halted ones stand first on each page.",
                ""
            })
    void list(
            @Mixin ServerOptions server,
            @Mixin PageOptions page,
            @Parameters(paramLabel = "QUEUE") String queue,
            @Option(
                            names = "--why",
                            paramLabel = "WHY",
                            description =
                                    "only those that are blocked for this reason: halted, head, foreign or redelivery")
                    @Nullable
                    String why) {
        page.printKeys(server, ApiClient.path("queues", queue, "keys"), why);
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
            name = "timeline",
            mixinStandardHelpOptions = true,
            description = {
                "Shows what became of the tasks of a key: from the log, the latest first, and from Redis. It reads 10,000 "
                        + "records at most, and says which.",
                ""
            })
    void timeline(
            @Mixin ServerOptions server,
            @Mixin KeyParameters asked,
            @Option(
                            names = "--before",
                            paramLabel = "OFFSET",
                            description = "the part of the log before this offset, as the last answer names it")
                    @Nullable
                    Long before,
            @Option(
                            names = "--partition",
                            paramLabel = "PARTITION",
                            description = "the log of this partition (default: where the key belongs)")
                    @Nullable
                    String partition) {
        Map<String, @Nullable String> query = new LinkedHashMap<>();
        query.put("partition", partition);
        query.put("before", before == null ? null : before.toString());
        server.print(
                server.api()
                        .get(ApiClient.query(
                                ApiClient.path("queues", asked.queue, "keys", asked.key, "timeline"), query)),
                TimelineRows::print);
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {
                "Runs the dead task that halts a key again, with all its attempts, then those behind it. If the key's first "
                        + "task only waits for its next attempt, it is due now.",
                ""
            })
    void retry(@Mixin ServerOptions server, @Mixin KeyParameters blocked, @Mixin SeenHead seen) {
        new KeyChanges(server, blocked.queue, blocked.key, "retry", false).make(seen.head);
    }

    @Command(
            name = "skip",
            mixinStandardHelpOptions = true,
            description = {"Leaves the dead task that halts a key behind; the next one goes on.", ""})
    void skip(@Mixin ServerOptions server, @Mixin KeyParameters blocked, @Mixin SeenHead seen, @Mixin Force force) {
        new KeyChanges(server, blocked.queue, blocked.key, "skip", force.force).make(seen.head);
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = {"Moves all that waits behind a halted key to the dead tasks, and opens the key.", ""})
    void drain(@Mixin ServerOptions server, @Mixin KeyParameters blocked, @Mixin SeenHead seen, @Mixin Force force) {
        new KeyChanges(server, blocked.queue, blocked.key, "drain", force.force).make(seen.head);
    }

    /** Lets a command give up a task that is alive. */
    static final class Force {

        @Option(
                names = "--force",
                description = "also if the key is not halted: its first task, which still has attempts, dies")
        private boolean force;
    }

    /** Names the task that is to be changed. */
    static final class SeenHead {

        @Option(
                names = "--head",
                paramLabel = "REF",
                description =
                        "only if the key still waits for this task, as 'keys show' names it; otherwise the command reads "
                                + "the head first, and names it")
        private @Nullable String head;
    }
}
