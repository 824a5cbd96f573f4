package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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
            description = {"Puts dead tasks back, due now, with all their attempts.", ""})
    void retry(@Mixin ServerOptions server, @Mixin ChosenTasks chosen) {
        changeEach(
                server,
                chosen,
                "put back",
                (api, ref) -> api.post(ApiClient.path("queues", chosen.queue, "tasks", ref, "retry")));
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {"Deletes dead tasks for good.", ""})
    void delete(@Mixin ServerOptions server, @Mixin ChosenTasks chosen) {
        changeEach(
                server,
                chosen,
                "deleted",
                (api, ref) -> api.delete(ApiClient.path("queues", chosen.queue, "tasks", ref)));
    }

    private void changeEach(
            ServerOptions server, ChosenTasks chosen, String done, BiConsumer<ApiClient, String> change) {
        if (chosen.ids.isEmpty() != chosen.all) {
            throw wrongUsage("Name the tasks by their ids, or say --all");
        }
        ApiClient api = server.api();
        List<String> refs = chosen.all ? allDead(api, chosen.queue) : chosen.ids;
        refs.forEach(ref -> change.accept(api, ref));
        ObjectNode answer = ApiClient.JSON.createObjectNode();
        answer.put("changed", refs.size());
        server.print(answer, (it, out) -> out.println(count(refs.size()) + " " + done));
    }

    private static String count(int tasks) {
        return tasks == 1 ? "1 task" : tasks + " tasks";
    }

    /** Lists all dead tasks before the first is changed, because a change would invalidate the cursor. */
    private static List<String> allDead(ApiClient api, String queue) {
        List<String> refs = new ArrayList<>();
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", "dead");
        parameters.put("limit", "500");
        do {
            JsonNode page = api.get(ApiClient.query(ApiClient.path("queues", queue, "tasks"), parameters));
            page.path("tasks").forEach(task -> refs.add(task.path("ref").asString()));
            parameters.put(
                    "cursor",
                    page.path("next").isMissingNode() ? null : page.path("next").asString());
        } while (parameters.get("cursor") != null);
        return refs;
    }
}
