package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.task.Envelope;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.FanOutIds;
import dev.tandem.task.store.HeldTask;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** The payload of a waiting or dead task is replaced if it is still the one that was seen, and if all of it was seen. */
class PayloadEditApiTest extends ApiTestBase {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String PATH = "/api/v1/queues/orders/tasks/@0%2F1:1/payload";
    private static final String MAIL = PATH.replace("orders", "mail");
    private static final Map<String, String> JSON = Map.of("content-type", "application/json");

    private static Task task(String type, String payload, Map<String, String> headers) {
        return new Task("a-1", "orders", type, "k", bytes(payload), headers, 0, 0, 0, 0, null);
    }

    private static HttpResponse<String> read(String path) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    private static String etag(String path) throws IOException, InterruptedException {
        HttpResponse<String> read = read(path);
        assertThat(read.statusCode()).as(read.body()).isEqualTo(200);
        return read.headers().firstValue("ETag").orElseThrow();
    }

    private static JsonNode edit(String path, String etag, String payload, int status) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).PUT(BodyPublishers.ofString(payload));
        return send(etag == null ? request : request.header("If-Match", etag), status);
    }

    private static String problem(JsonNode answer) {
        return answer.path("type").asString().replace("urn:tandem:problem:", "");
    }

    @ParameterizedTest
    @EnumSource(
            value = TaskState.class,
            names = {"SCHEDULED", "RETRY", "PARKED", "DEAD"})
    void thePayloadThatWasSeenIsReplaced(TaskState state) throws IOException, InterruptedException {
        put("0", "1:1", state, task(null, "{\"n\": 1e400}", JSON));
        HttpResponse<String> seen = read(PATH);
        assertThat(seen.body()).isEqualTo("{\"n\": 1e400}");
        assertThat(seen.headers().firstValue("Content-Type")).hasValue("application/octet-stream");
        String etag = seen.headers().firstValue("ETag").orElseThrow();

        JsonNode answer = edit(PATH, etag, "{\"n\": 2}", 202);

        assertThat(answer.path("bytes").asInt()).isEqualTo(8);
        assertThat(PLATFORM.changes).containsExactly("edit orders @0/1:1 {\"n\": 2}");
    }

    @Test
    void theAuditLogHasBothHashesAndNoPayload() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "secret-one", Map.of()));
        String etag = etag(PATH);

        String hash = edit(PATH, etag, "secret-two", 202).path("hash").asString();

        await().untilAsserted(() -> assertThat(AUDIT.entries).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("edit");
            assertThat(entry.result()).contains(hash, etag.replace("\"", "")).doesNotContain("secret");
        }));
    }

    @Test
    void anotherPayloadThanTheOneThatWasSeenStays() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "one", Map.of()));
        String etag = etag(PATH);
        put("0", "1:1", TaskState.DEAD, task(null, "two", Map.of()));

        assertThat(problem(edit(PATH, etag, "three", 412))).isEqualTo("payload-changed");
        assertThat(problem(edit(PATH, null, "three", 428))).isEqualTo("etag-required");
        assertThat(problem(edit(PATH, "*", "three", 400))).isEqualTo("invalid-request");
        assertThat(PLATFORM.changes).isEmpty();

        PLATFORM.edited = Change.NOT_FOUND;
        assertThat(problem(edit(PATH, etag(PATH), "three", 409))).isEqualTo("conflict");
    }

    /** Whoever does not see all would save the mask in place of what it hides. */
    @Test
    void aPayloadOfWhichAPartIsMaskedCannotBeEdited() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "{\"card\": {\"number\": \"4111\"}}", JSON));
        HttpResponse<String> refused = read(MAIL);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("payload-masked").doesNotContain("4111");

        put("0", "1:1", TaskState.DEAD, task(null, "no JSON", Map.of()));
        assertThat(read(MAIL).statusCode()).isEqualTo(409);
        put("0", "1:1", TaskState.DEAD, task("photo", "pixels", Map.of()));
        assertThat(read(PATH).statusCode()).isEqualTo(409);

        put("0", "1:1", TaskState.DEAD, task(null, "{ \"total\": 1.50 }", JSON));
        String etag = etag(MAIL);
        edit(MAIL, etag, "{\"card\": {\"number\": \"4111\"}}", 202);
    }

    @Test
    void aTaskThatRunsOrWhosePayloadIsInTheBrokerCannotBeEdited() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.SCHEDULED, task(null, "one", Map.of()));
        String etag = etag(PATH);

        put("0", "1:1", TaskState.ACTIVE, task(null, "one", Map.of()));
        assertThat(problem(edit(PATH, etag, "two", 409))).isEqualTo("task-running");
        put("0", "1:1", TaskState.SUCCEEDED, task(null, "one", Map.of()));
        assertThat(problem(edit(PATH, etag, "two", 409))).isEqualTo("task-ended");
        PLATFORM.tasks.clear();
        assertThat(edit(PATH, etag, "two", 404).path("remedy").asString())
                .contains("its payload in the broker, where nobody can change it");
        assertThat(PLATFORM.changes).isEmpty();
    }

    /** A task that its executor has would run with the payload that is there. */
    @Test
    void aTaskThatAnExecutorHasTakenAlreadyCannotBeEdited() throws IOException, InterruptedException {
        Task task = task(null, "one", Map.of());
        put("0", "1:1", TaskState.RETRY, task);
        String etag = etag(PATH);
        TaskPlace place = new TaskPlace(new Partition("orders", "0"), new Position("1:1"));
        PLATFORM.held.put(
                "1:1",
                info("0", "1:1", TaskState.RETRY, task, null)
                        .withHeld(new HeldTask(place, "e-1", Envelope.of(task), false, null)));
        assertThat(problem(edit(PATH, etag, "two", 409))).isEqualTo("task-running");

        PLATFORM.held.clear();
        PLATFORM.edited = Change.RUNNING;
        assertThat(edit(PATH, etag, "two", 409).path("remedy").asString()).contains("a later time first");
    }

    @Test
    void aMasterOfSubtasksCannotBeEdited() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "one", Map.of(FannedOut.HEADER, "f 1,")));

        assertThat(read(PATH).body()).contains("task-in-other-state", "published subtasks by its payload");
    }

    /** An attempt whose executor was killed notes no fan-out in its task. */
    @Test
    void aMasterWhoseRunLapsedCannotBeEditedEither() throws IOException, InterruptedException {
        put("3", "1:17", TaskState.RETRY, task(null, "one", Map.of()));
        String path = "/api/v1/queues/orders/tasks/@3%2F1:17/payload";
        assertThat(read(path).statusCode()).isEqualTo(200);

        FAN_OUTS.masters.add(
                FanOutIds.of(new Partition("orders", "3"), new Position("1:17"), task(null, "one", Map.of()), ""));

        assertThat(read(path).body()).contains("task-in-other-state", "published subtasks by its payload");
    }

    /** Redis may have done it, so that the former payload is gone. */
    @Test
    void theAuditLogHasTheHashesAlsoIfRedisDoesNotAnswer() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "one", Map.of()));
        String etag = etag(PATH);
        PLATFORM.edited = null;

        edit(PATH, etag, "two", 503);

        await().untilAsserted(() -> assertThat(AUDIT.entries)
                .singleElement()
                .satisfies(entry -> assertThat(entry.result()).contains("may have been done", etag.replace("\"", ""))));
    }

    /** The owner is asked before anything is changed. */
    @Test
    void anEditThatNobodyCouldAnswerForIsNotSaidToMaybeBeDone() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.RETRY, task(null, "one", Map.of()));
        String etag = etag(PATH);
        PLATFORM.tooManyAsk = true;

        assertThat(edit(PATH, etag, "two", 503).path("remedy").asString()).startsWith("Try again");

        assertThat(PLATFORM.changes).isEmpty();
        // The entry is made when the answer is sent already.
        await().untilAsserted(() -> assertThat(AUDIT.refused)
                .singleElement()
                .satisfies(
                        entry -> assertThat(entry.result()).isEqualTo("failed with status 503, and nothing was done")));
    }

    @Test
    void jsonStaysJsonAndNoPayloadIsTooLong() throws IOException, InterruptedException {
        put("0", "1:1", TaskState.DEAD, task(null, "{}", JSON));
        String etag = etag(PATH);

        assertThat(edit(PATH, etag, "{\"secret\": oops}", 400).toString())
                .contains("line 1, column")
                .doesNotContain("oops");
        assertThat(edit(PATH, etag, "{} {}", 400).path("detail").asString()).endsWith("not one value");
        assertThat(problem(edit(PATH, etag, "\"" + "x".repeat(1_100) + "\"", 413)))
                .isEqualTo("too-long");
        assertThat(PLATFORM.changes).isEmpty();
    }
}
