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
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lists, retries and deletes dead tasks. */
@Command(
        name = "dead",
        mixinStandardHelpOptions = true,
        description = {"Shows dead tasks, retries or deletes them.", ""})
final class DeadCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "list, retry or delete?");
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
    void retry(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1..*", paramLabel = "ID", arity = "0..*") @Nullable List<String> ids,
            @Option(names = "--all", description = "all that are dead now") boolean all) {
        ApiClient api = server.api();
        changeEach(server, api, queue, namedIds(ids), all, "put back", ref -> api.post(task(queue, ref, "retry")));
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {"Deletes dead tasks for good.", ""})
    void delete(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "QUEUE") String queue,
            @Parameters(index = "1..*", paramLabel = "ID", arity = "0..*") @Nullable List<String> ids,
            @Option(names = "--all", description = "all that are dead now") boolean all) {
        ApiClient api = server.api();
        changeEach(server, api, queue, namedIds(ids), all, "deleted", ref -> api.delete(task(queue, ref)));
    }

    private interface Change {
        JsonNode apply(String ref);
    }

    private void changeEach(
            ServerOptions server,
            ApiClient api,
            String queue,
            List<String> ids,
            boolean all,
            String done,
            Change change) {
        if (ids.isEmpty() != all) {
            throw new ParameterException(spec.commandLine(), "Name the tasks by their ids, or say --all");
        }
        List<String> chosen = all ? allDead(api, queue) : ids;
        int count = 0;
        for (String ref : chosen) {
            change.apply(ref);
            count++;
        }
        ObjectNode answer = ApiClient.JSON.createObjectNode();
        answer.put("changed", count);
        server.print(answer, (it, out) -> out.println(count(it.path("changed").asInt()) + " " + done));
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

    private static List<String> namedIds(@Nullable List<String> ids) {
        return ids == null ? List.of() : ids;
    }

    private static String task(String queue, String ref, String... more) {
        List<String> parts = new ArrayList<>(List.of("queues", queue, "tasks", ref));
        parts.addAll(List.of(more));
        return ApiClient.path(parts.toArray(String[]::new));
    }
}
