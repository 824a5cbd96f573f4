package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists, retries and deletes dead tasks. */
@Command(
        name = "dead",
        mixinStandardHelpOptions = true,
        description = {"Shows dead tasks, retries or deletes them.", ""})
final class DeadCommand extends CommandGroup {

    DeadCommand() {
        super("list, retry or delete?");
    }

    /** Names the tasks that are changed. */
    static final class ChosenTasks {

        @Parameters(index = "0", paramLabel = "QUEUE")
        private String queue = "";

        @Parameters(index = "1..*", paramLabel = "ID", arity = "0..*")
        private List<String> ids = new ArrayList<>();

        @Option(names = "--all", description = "all that are dead now")
        private boolean all;

        /** Returns whether all are chosen; refuses both, and neither. */
        boolean all(CommandGroup command) {
            if (ids.isEmpty() != all) {
                throw command.wrongUsage("Name the tasks by their ids, or say --all");
            }
            return all;
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows a queue's dead tasks, the latest first.", ""})
    void list(@Mixin ServerOptions server, @Mixin PageOptions page, @Parameters(paramLabel = "QUEUE") String queue) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", "dead");
        page.printPages(server, ApiClient.path("queues", queue, "tasks"), parameters, TaskRows::list);
    }

    @Command(
            name = "retry",
            mixinStandardHelpOptions = true,
            description = {"Puts dead tasks back, due now, with all their attempts. With --all, it asks first.", ""})
    void retry(@Mixin ServerOptions server, @Mixin ChosenTasks chosen, @Mixin ConfirmOptions confirm) {
        ApiClient api = server.api();
        List<JsonNode> dead = chosen.all(this) ? allDead(api, chosen.queue) : List.of();
        if (!dead.isEmpty()) {
            confirm.confirm(question("Retry", chosen.queue, dead, 0));
        }
        Map<String, JsonNode> heads = new HashMap<>();
        dead.stream().filter(DeadCommand::halts).forEach(task -> heads.put(ref(task), task));
        List<JsonNode> reopened = new ArrayList<>();
        TaskChanges changes = new TaskChanges(chosen.all, ref -> {
            JsonNode answer = api.post(taskPath(chosen, ref, "retry") + "?only=dead");
            if (heads.containsKey(ref)) {
                reopened.add(heads.get(ref));
            }
            return answer;
        });
        changes.make(chosen.all ? dead.stream().map(DeadCommand::ref).toList() : chosen.ids);
        reopened.forEach(task -> changes.note("The key " + task.path("key").asString("") + " was halted by "
                + task.path("id").asString("") + " (" + ref(task) + "), which runs again."));
        changes.print(server, "put back");
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {
                "Deletes dead tasks for good. With --all, it leaves those that halt their keys, and asks first.",
                ""
            })
    void delete(
            @Mixin ServerOptions server,
            @Mixin ChosenTasks chosen,
            @Mixin ConfirmOptions confirm,
            @Option(names = "--halting", description = "with --all: also those that halt their keys, which then go on")
                    boolean halting) {
        ApiClient api = server.api();
        if (!chosen.all(this)) {
            deleteEach(server, chosen, chosen.ids, "dead", 0);
            return;
        }
        List<JsonNode> dead = allDead(api, chosen.queue);
        List<JsonNode> taken =
                dead.stream().filter(task -> halting || !halts(task)).toList();
        int left = dead.size() - taken.size();
        if (!taken.isEmpty()) {
            confirm.confirm(question("Delete", chosen.queue, taken, left));
        }
        deleteEach(
                server,
                chosen,
                taken.stream().map(DeadCommand::ref).toList(),
                halting ? "dead" : "dead-not-halting",
                left);
    }

    private static String question(String what, String queue, List<JsonNode> taken, int left) {
        long keys = taken.stream().filter(DeadCommand::halts).count();
        return what + " " + TaskChanges.count(taken.size()).replace(" task", " dead task") + " of " + queue
                + (keys == 0 ? "" : ", of which " + keys + (keys == 1 ? " halts its key" : " halt their keys"))
                + (left == 0 ? "?" : "? " + leftOut(left));
    }

    private static String leftOut(int left) {
        return left == 1
                ? "1 more halts its key and stays (--halting deletes it too)."
                : left + " more halt their keys and stay (--halting deletes them too).";
    }

    private static void deleteEach(ServerOptions server, ChosenTasks chosen, List<String> refs, String only, int left) {
        ApiClient api = server.api();
        TaskChanges changes = new TaskChanges(chosen.all, ref -> api.delete(taskPath(chosen, ref) + "?only=" + only));
        changes.make(refs);
        if (left > 0) {
            changes.note(leftOut(left));
        }
        changes.print(server, "deleted");
    }

    private static String taskPath(ChosenTasks chosen, String ref, String... more) {
        List<String> parts = new ArrayList<>(List.of("queues", chosen.queue, "tasks", ref));
        parts.addAll(List.of(more));
        return ApiClient.path(parts.toArray(String[]::new));
    }

    private static boolean halts(JsonNode task) {
        return task.path("halts").asBoolean(false);
    }

    private static String ref(JsonNode task) {
        return task.path("ref").asString();
    }

    /** Lists all dead tasks before the first is changed, because a change would invalidate the cursor. */
    private static List<JsonNode> allDead(ApiClient api, String queue) {
        List<JsonNode> dead = new ArrayList<>();
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", "dead");
        parameters.put("limit", "500");
        do {
            JsonNode page = api.get(ApiClient.query(ApiClient.path("queues", queue, "tasks"), parameters));
            page.path("tasks").forEach(dead::add);
            parameters.put(
                    "cursor",
                    page.path("next").isMissingNode() ? null : page.path("next").asString());
        } while (parameters.get("cursor") != null);
        return dead;
    }
}
