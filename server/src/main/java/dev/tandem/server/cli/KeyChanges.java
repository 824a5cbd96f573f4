package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Changes a blocked key. Each request names the head that was seen, so that no other task is changed in its place. */
final class KeyChanges {

    private final ServerOptions server;
    private final String action;
    private final boolean force;
    private final String path;
    private final String keyPath;
    private final List<String> heads = new ArrayList<>();
    private final List<JsonNode> answers = new ArrayList<>();
    private final List<CliException> failures = new ArrayList<>();

    KeyChanges(ServerOptions server, String queue, String key, String action, boolean force) {
        this.server = server;
        this.action = action;
        this.force = force;
        this.keyPath = ApiClient.path("queues", queue, "keys", key);
        this.path = ApiClient.path("queues", queue, "keys", key, action);
    }

    /** Makes the change of a head, and prints what was done. @param head null for each head that the key has now */
    void make(@Nullable String head) {
        if (head != null) {
            change(head, force);
        } else {
            JsonNode key = server.api().get(keyPath);
            change(key);
            key.path("more").forEach(this::change);
        }
        if (!failures.isEmpty()) {
            throw failure();
        }
        server.print(answer(), (answer, out) -> {
            heads.forEach(out::println);
            out.println(TaskRows.printable(answer.path("did").asString("Done")));
        });
    }

    private void change(JsonNode key) {
        String head = key.path("head").asString("");
        if (head.isEmpty()) {
            change(null, force); // The key is open: the server says so.
            return;
        }
        heads.add(TaskRows.printable(KeyRows.head(key)));
        // Force is for a task that is seen to be alive.
        change(head, force && !key.path("why").asString("").equals("halted"));
    }

    private void change(@Nullable String head, boolean forced) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("force", forced ? "true" : null);
        parameters.put("head", head);
        try {
            answers.add(server.api().post(ApiClient.query(path, parameters)));
        } catch (CliException e) {
            // The key may be blocked in other partitions too, where the change can be made.
            failures.add(e);
        }
    }

    /** Reports all that failed, and what was done nevertheless. */
    private CliException failure() {
        CliException first = failures.get(0);
        if (answers.isEmpty() && failures.size() == 1) {
            return first;
        }
        String problems = failures.stream().map(Throwable::getMessage).collect(Collectors.joining(" "));
        return new CliException(
                first.status(),
                problems + (answers.isEmpty() ? "" : " (The " + action + " was done elsewhere: " + did() + ")"));
    }

    private JsonNode answer() {
        if (answers.size() == 1) {
            return answers.get(0);
        }
        ObjectNode all = ApiClient.JSON.createObjectNode();
        all.put(
                "changed",
                answers.stream().mapToInt(each -> each.path("changed").asInt(0)).sum());
        all.put("did", did());
        return all;
    }

    private String did() {
        return answers.stream().map(each -> each.path("did").asString("Done")).collect(Collectors.joining(" "));
    }
}
