package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Lists dead tasks and groups them, retries, skips and deletes them. */
@Command(
        name = "dead",
        mixinStandardHelpOptions = true,
        description = {"Shows dead tasks, retries, skips or deletes them.", ""})
final class DeadCommand extends CommandGroup {

    DeadCommand() {
        super("groups, list, retry, skip or delete?");
    }

    /** Names the tasks that are changed. */
    static final class ChosenTasks {

        @Parameters(index = "0", paramLabel = "QUEUE")
        private String queue = "";

        @Parameters(index = "1..*", paramLabel = "ID", arity = "0..*")
        private List<String> ids = new ArrayList<>();

        String queue() {
            return queue;
        }

        List<String> ids() {
            return ids;
        }

        /** Returns whether all that match are chosen; refuses both, and neither. */
        boolean all(CommandSpec command, MatchOptions match) {
            if (ids.isEmpty() != match.isAll()) {
                throw new ParameterException(command.commandLine(), "Name the tasks by their ids, or say --all");
            } else if (!match.isAll() && match.isNarrowed()) {
                throw new ParameterException(
                        command.commandLine(), "Options that choose tasks have an effect with --all only");
            }
            return match.isAll();
        }
    }

    @Command(
            name = "groups",
            mixinStandardHelpOptions = true,
            description = {
                "Shows the dead tasks of a queue, or of all queues, by type and error: how many, how many halt their keys, and "
                        + "since when. Errors are one if they differ only in numbers, ids and what is quoted. --fingerprint chooses the tasks of a group.",
                ""
            })
    void groups(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "QUEUE", arity = "0..1", description = "only this one (default: all queues)")
                    @Nullable
                    String queue,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            description = "how many at most (default: ${DEFAULT-VALUE})",
                            defaultValue = "50")
                    int limit) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("limit", Integer.toString(limit));
        String path = queue == null ? ApiClient.path("dead-groups") : ApiClient.path("queues", queue, "dead-groups");
        server.print(
                server.api().get(ApiClient.query(path, parameters)),
                queue == null ? DeadGroupRows::all : DeadGroupRows::list);
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows a queue's dead tasks, the latest first.", ""})
    void list(
            @Mixin ServerOptions server,
            @Mixin PageOptions page,
            @Parameters(paramLabel = "QUEUE") String queue,
            @Option(
                            names = "--died-after",
                            paramLabel = "TIME",
                            description = "only those that died then or later: epoch milliseconds, ISO-8601, or -1h")
                    @Nullable
                    String diedAfter,
            @Option(
                            names = "--fingerprint",
                            paramLabel = "FINGERPRINT",
                            description = "only those with the type and error of a group of 'dead groups'")
                    @Nullable
                    String fingerprint) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", "dead");
        parameters.put("died-after", diedAfter);
        parameters.put("fingerprint", fingerprint);
        page.printPages(server, ApiClient.path("queues", queue, "tasks"), parameters, TaskRows::list);
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {
                "Puts dead tasks back, due now, with all their attempts. With --all the server does it, in order within a "
                        + "key, and the command asks first.",
                ""
            })
    void retry(
            @Mixin ServerOptions server,
            @Mixin ChosenTasks chosen,
            @Mixin MatchOptions match,
            @Mixin ConfirmOptions confirm) {
        if (chosen.all(spec("retry"), match)) {
            new OperationCall(server, chosen.queue, match)
                    .change("retry", Map.of("state", "dead"), "Retry", "dead", "put back", confirm);
            return;
        }
        ApiClient api = server.api();
        TaskChanges changes = new TaskChanges(false, ref -> api.post(taskPath(chosen, ref, "retry") + "?only=dead"));
        changes.make(chosen.ids, server);
        changes.print(server, "put back");
    }

    @Command(
            name = "skip",
            mixinStandardHelpOptions = true,
            description = {
                "Gives up the dead tasks that halt their keys, so that the next task of each key goes on. They stay dead. The "
                        + "server does it, and the command asks first. For one key: ./tandem keys skip",
                ""
            })
    void skip(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "QUEUE") String queue,
            @Mixin MatchOptions match,
            @Mixin ConfirmOptions confirm) {
        if (!match.isAll()) {
            throw new ParameterException(
                    spec("skip").commandLine(), "Say --all. For one key there is ./tandem keys skip");
        }
        new OperationCall(server, queue, match).change("skip", Map.of(), "Skip", "dead", "skipped", confirm);
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {
                "Deletes dead tasks for good. With --all the server does it; it leaves those that halt their keys, and the "
                        + "command asks first.",
                ""
            })
    void delete(
            @Mixin ServerOptions server,
            @Mixin ChosenTasks chosen,
            @Mixin MatchOptions match,
            @Mixin ConfirmOptions confirm,
            @Option(names = "--halting", description = "with --all: also those that halt their keys, which then go on")
                    boolean halting) {
        if (chosen.all(spec("delete"), match)) {
            new OperationCall(server, chosen.queue, match)
                    .change(
                            "delete",
                            halting ? Map.of("halting", "true") : Map.of(),
                            "Delete",
                            halting ? "dead" : "dead",
                            "deleted",
                            confirm);
            return;
        }
        ApiClient api = server.api();
        TaskChanges changes = new TaskChanges(false, ref -> api.delete(taskPath(chosen, ref) + "?only=dead"));
        changes.make(chosen.ids, server);
        changes.print(server, "deleted");
    }

    private static String taskPath(ChosenTasks chosen, String ref, String... more) {
        List<String> parts = new ArrayList<>(List.of("queues", chosen.queue, "tasks", ref));
        parts.addAll(List.of(more));
        return ApiClient.path(parts.toArray(String[]::new));
    }
}
