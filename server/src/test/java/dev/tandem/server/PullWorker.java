package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A pull worker that asks one server. */
final class PullWorker {

    private final RunningServer server;
    private final String queue;

    PullWorker(RunningServer server, String queue) {
        this.server = server;
        this.queue = queue;
    }

    RunningServer.Answer say(String verb, String json) {
        return server.post("/api/v1/queues/" + queue + "/pull/" + verb, json);
    }

    /** Says something of one task. @param more fields with a comma in front */
    RunningServer.Answer say(String verb, JsonNode task, String more) {
        return say(verb, "{\"lease\": \"" + task.path("lease").asString() + "\"" + more + "}");
    }

    /** Leases tasks. @param more fields with a comma in front */
    List<JsonNode> lease(int max, String more) {
        RunningServer.Answer answer = say("lease", "{\"max\": " + max + ", \"wait\": \"10s\"" + more + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        List<JsonNode> tasks = new ArrayList<>();
        answer.json().path("tasks").forEach(tasks::add);
        return tasks;
    }

    /** Leases until there are as many, for a minute at most. */
    List<JsonNode> leaseAll(int count) {
        List<JsonNode> all = new ArrayList<>();
        for (int calls = 0; calls < 6 + count && all.size() < count; calls++) {
            all.addAll(lease(count - all.size(), ""));
        }
        assertThat(all).as("tasks of " + queue).hasSize(count);
        return all;
    }

    /** Leases the next task. */
    JsonNode leaseOne() {
        List<JsonNode> tasks = lease(1, "");
        assertThat(tasks).as("a task of " + queue).hasSize(1);
        return tasks.get(0);
    }

    void finish(JsonNode task) {
        RunningServer.Answer answer = say("finish", task, "");
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    }
}
