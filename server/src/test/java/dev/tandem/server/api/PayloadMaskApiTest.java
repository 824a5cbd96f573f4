package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The API shows nobody what is masked in a queue, and says that something is. */
class PayloadMaskApiTest extends ApiTestBase {

    private static final String TASKS = "/api/v1/queues/mail/tasks/";

    @Test
    void maskedValuesAreNotShown() {
        put("0", "1:1", TaskState.DEAD, task(null, "{\"card\": {\"number\": \"4111\"}, \"total\": 1.50}"));

        JsonNode shown = get(TASKS + "@0%2F1:1", 200);

        assertThat(shown.path("payload").toString()).isEqualTo("{\"card\":{\"number\":\"***\"},\"total\":1.50}");
        assertThat(shown.path("note").asString()).contains("masked");
        assertThat(shown.toString()).doesNotContain("4111");
    }

    @Test
    void aPayloadThatIsNoJsonIsHiddenAsAWhole() {
        put("0", "1:1", TaskState.DEAD, task(null, "4111 1111"));

        assertThat(get(TASKS + "@0%2F1:1", 200).path("payloadText").asString()).isEqualTo("***");
    }

    @Test
    void aMaskInJavaComesFirst() {
        put("0", "1:1", TaskState.DEAD, task("photo", "pixels"));

        JsonNode inOtherQueue = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);
        assertThat(inOtherQueue.path("payloadText").asString()).isEqualTo("a photo");
        assertThat(inOtherQueue.path("note").asString()).contains("masked");
        assertThat(get(TASKS + "@0%2F1:1", 200).path("payloadText").asString()).isEqualTo("***");
    }

    @Test
    void otherQueuesShowTheirPayloads() {
        put("0", "1:1", TaskState.DEAD, task(null, "{\"card\": {\"number\": 1}}"));

        JsonNode shown = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);

        assertThat(shown.path("payload").toString()).isEqualTo("{\"card\":{\"number\":1}}");
        assertThat(shown.has("note")).isFalse();
    }

    private static Task task(String type, String payload) {
        return new Task("id", "mail", type, "k", bytes(payload), Map.of(), 0, 0, 0, 0, null);
    }
}
