package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the API says of tasks that wait for others. */
class DependenciesApiTest extends ApiTestBase {

    @Test
    void aTaskShowsWhatItWaitsForAndWhoWaitsForIt() {
        Map<String, String> headers = Map.of(
                "tandem-depends-on",
                "known-1,//mail/later",
                "tandem-depends-policy",
                "run",
                "tandem-depends-timeout",
                "1h");
        put("0", "1:1", TaskState.RETRY, new Task("b", "orders", null, "k", bytes("x"), headers, 0, 0, 0, 0, "own"));

        JsonNode answer = get("/api/v1/queues/orders/tasks/b/dependencies", 200);

        assertThat(answer.path("ref").asString()).isEqualTo("@0/1:1");
        assertThat(answer.path("state").asString()).isEqualTo("retry");
        assertThat(answer.path("policy").asString()).isEqualTo("run");
        assertThat(answer.path("timeout").asString()).isEqualTo("PT1H");
        JsonNode known = answer.path("waitsFor").path(0);
        assertThat(known.path("queue").asString()).isEqualTo("orders");
        assertThat(known.path("state").asString()).isEqualTo("done");
        assertThat(known.path("ref").asString()).isEqualTo("@1/1:9");
        assertThat(known.path("over").asBoolean()).isTrue();
        JsonNode later = answer.path("waitsFor").path(1);
        assertThat(later.path("queue").asString()).isEqualTo("mail");
        assertThat(later.path("key").asString()).isEqualTo("later");
        assertThat(later.path("state").asString()).isEqualTo("unknown");
        assertThat(later.path("over").asBoolean(true)).isFalse();
        assertThat(answer.path("waiting").path(0).path("ref").asString()).isEqualTo("@0/1:3");
    }

    @Test
    void aTaskThatWaitsForNothingHasNoneOfThat() {
        put("0", "1:1", TaskState.RETRY, named("plain"));
        JsonNode answer = get("/api/v1/queues/orders/tasks/plain/dependencies", 200);
        assertThat(answer.propertyNames()).containsExactly("ref", "state");
        get("/api/v1/queues/orders/tasks/none/dependencies", 404);
    }
}
