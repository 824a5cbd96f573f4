package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.util.List;
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

    /** An endpoint may answer with what it was sent. */
    @Test
    void errorsDoNotRepeatWhatIsMasked() {
        Task task = task(
                null, "{\"card\": {\"number\": \"4111 \\\"x\\\"\"}, \"customers\": [{\"email\": {\"a\": 12345}}]}");
        put(failed(TaskState.DEAD, task, "HTTP status 500\n4111 \"x\", 4111 \\\"x\\\", 4111+%22x%22 and 12345 of 7"));

        for (String path : List.of("/api/v1/queues/mail/tasks", TASKS + "@0%2F1:1")) {
            assertThat(get(path, 200).toString())
                    .contains("HTTP status 500\\n***, ***, *** and *** of 7")
                    .doesNotContain("4111", "12345");
        }
    }

    @Test
    void notedLinesAndProgressDoNotRepeatWhatIsMasked() {
        TaskInfo info = info("0", "1:1", TaskState.RETRY, task(null, "{\"card\": {\"number\": \"4111\"}}"), null);
        put(new TaskInfo(
                info.ref(),
                info.state(),
                info.at(),
                info.key(),
                info.attempts(),
                info.executor(),
                info.head(),
                info.envelope(),
                info.durationMillis(),
                info.history(),
                new TaskNotes(
                        new TaskNotes.Progress(1, 1, 1, 2, "charging 4111"),
                        List.of(new TaskNotes.Line(1, 1, "4111 was declined")),
                        null)));

        for (String path : List.of("/api/v1/queues/mail/tasks", TASKS + "@0%2F1:1")) {
            assertThat(get(path, 200).toString())
                    .contains("charging ***", "*** was declined")
                    .doesNotContain("4111");
        }
    }

    @Test
    void anErrorIsHiddenIfNobodyCanTellWhatItRepeats() {
        put(failed(TaskState.DEAD, task(null, "4111 1111"), "no such card: 4111 1111"));

        assertThat(get(TASKS + "@0%2F1:1", 200).path("error").asString()).isEqualTo("***");
        assertThat(get("/api/v1/queues/mail/tasks/@0%2F1:1/why", 200).toString())
                .contains("***")
                .doesNotContain("4111");
    }

    @Test
    void resultsAreMaskedLikePayloads() {
        Echoes echoes = Echoes.of(List.of("/card/number", "/customers/*/email"), () -> null);

        assertThat(echoes.result("{\"card\": {\"number\": 4111}, \"n\": 1}"))
                .isEqualTo("{\"card\":{\"number\":\"***\"},\"n\":1}");
        assertThat(echoes.result("\"4111\"")).isEqualTo("\"***\"");
        assertThat(Echoes.of(List.of(), () -> null).result("\"4111\"")).isEqualTo("\"4111\"");
        assertThat(Echoes.of(List.of(), () -> null).hide("4111")).isEqualTo("4111");
    }

    private static TaskInfo failed(TaskState state, Task task, String error) {
        TaskInfo info = info("0", "1:1", state, task, null);
        return new TaskInfo(
                info.ref(),
                info.state(),
                info.at(),
                info.key(),
                info.attempts(),
                info.executor(),
                info.head(),
                new Envelope(task, 2, 9, error),
                info.durationMillis(),
                info.history(),
                info.notes());
    }

    private static Task task(String type, String payload) {
        return new Task("id", "mail", type, "k", bytes(payload), Map.of(), 0, 0, 0, 0, null);
    }
}
