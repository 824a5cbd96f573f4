package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Publishing tasks over HTTP. */
class SubmitApiTest extends ApiTestBase {

    @Test
    void taskIsPublishedWithAllItsFields() {
        JsonNode answer = json("/api/v1/queues/orders/tasks", """
                {"payload": {"total": 12}, "type": "t", "key": "customer/7", "id": "order-7", "delay": "PT30S",
                 "timeout": 5000, "maxAttempts": 3, "dedupKey": "d", "dedupMode": "replace",
                 "dedupWindow": "1h", "headers": {"x-tenant": "acme"}}
                """, 202);

        assertThat(answer.path("id").asString()).isEqualTo("order-7");
        assertThat(PLATFORM.published).hasSize(1);
        Task task = PLATFORM.published.get(0);
        assertThat(new String(task.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"total\": 12}");
        assertThat(task.type()).isEqualTo("t");
        assertThat(task.key()).isEqualTo("customer/7");
        assertThat(task.timeoutMillis()).isEqualTo(5_000);
        assertThat(task.maxAttempts()).isEqualTo(3);
        assertThat(task.dedupKey()).isEqualTo("d");
        assertThat(task.headers())
                .containsEntry("tandem-dedup-mode", "replace")
                .containsEntry("tandem-dedup-window", "3600000");
        assertThat(task.notBefore() - task.publishedAt()).isEqualTo(30_000);
        assertThat(task.headers()).containsEntry("x-tenant", "acme").containsEntry("content-type", "application/json");
    }

    @Test
    void publisherIsWarnedOfAKeyWithoutOrderAndOfAQueueThatNobodyHas() {
        JsonNode keyed = json("/api/v1/queues/mail/tasks", "{\"payload\": 1, \"key\": \"c\"}", 202);
        assertThat(keyed.path("warnings").size()).isEqualTo(1);
        assertThat(keyed.path("warnings").get(0).asString())
                .contains("queue 'mail' has no order", "tandem.queues.mail.ordering to key");

        JsonNode waits = json(
                "/api/v1/queues/orders/tasks",
                "{\"payload\": 1, \"key\": \"c\", \"dependsOn\": \"//missing/never,//mail/m-1,o-1\"}",
                202);
        assertThat(waits.path("warnings").size()).isEqualTo(1);
        assertThat(waits.path("warnings").get(0).asString()).contains("waits for one of the queue 'missing'");

        assertThat(json("/api/v1/queues/mail/tasks", "{\"payload\": 1}", 202).has("warnings"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"price\": 1.10,  \"exact\": 0.12345678901234567890123456789}",
                "1e400",
                "-0.0",
                "[ 1.0 ,\n 2 ]",
                "\"a \\u00e9 é \\/ b\"",
                "null",
                "true",
                "{\"a\": 1, \"a\": 2}"
            })
    void payloadKeepsItsBytes(String payload) {
        json("/api/v1/queues/orders/tasks", "{\"key\": \"ü\", \"payload\" : " + payload + " , \"type\": \"t\"}", 202);

        Task task = PLATFORM.published.get(0);
        assertThat(new String(task.payload(), StandardCharsets.UTF_8)).isEqualTo(payload);
        assertThat(task.type()).isEqualTo("t");
        assertThat(task.key()).isEqualTo("ü");

        put("0", "1:9", TaskState.DEAD, Task.of("orders", "k", task.payload()));
        assertThat(body("/api/v1/queues/orders/tasks/%400%2F1:9")).contains("\"payload\":" + payload + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x"})
    void formOfAWebPageIsRefusedWithWhatToSend(String type) {
        JsonNode problem = send("POST", "/api/v1/queues/orders/tasks", type, "{}", 415);

        assertThat(problem.path("detail").asString()).contains(type.split(";")[0]);
        assertThat(problem.path("remedy").asString()).contains("application/json");
        assertThat(PLATFORM.published).isEmpty();
    }

    @Test
    void timesHaveTheFormOfSettingsToo() {
        json("/api/v1/queues/orders/tasks", "{\"delay\": \"30s\", \"timeout\": \"5m\"}", 202);

        Task task = PLATFORM.published.get(0);
        assertThat(task.notBefore() - task.publishedAt()).isEqualTo(30_000);
        assertThat(task.timeoutMillis()).isEqualTo(300_000);
    }

    @Test
    void everyFieldIsOptional() {
        assertThat(json("/api/v1/queues/orders/tasks", "{}", 202).path("id").asString())
                .isEqualTo("orders:0:17");
        assertThat(PLATFORM.published.get(0).payload()).isEmpty();
    }

    @Test
    void bodyThatIsNotJsonIsThePayload() {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/v1/queues/mail/tasks"))
                .header("Content-Type", "text/csv")
                .header("Tandem-Id", "row-1")
                .header("Tandem-Key", "a")
                .header("Baggage", "tenant=t-1")
                .header("X-Other", "stays here")
                .POST(BodyPublishers.ofString("1;2;3"));

        send(request, 202);

        Task task = PLATFORM.published.get(0);
        assertThat(new String(task.payload(), StandardCharsets.UTF_8)).isEqualTo("1;2;3");
        assertThat(task.id()).isEqualTo("row-1");
        assertThat(task.key()).isEqualTo("a");
        assertThat(task.headers())
                .containsOnly(Map.entry("content-type", "text/csv"), Map.entry("baggage", "tenant=t-1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"delay": "soon"}                          | PT30S
            {"delay": "-5s"}                           | Use 0 for now, or a delay such as 30s
            {"delay": -1}                              | delay is '-1', which is less than zero
            {"headers": {"tandem-delay": "-PT5S"}}     | delay is '-PT5S', which is less than zero
            {"notBefore": "tomorrow"}                  | 2030-01-31T08:00:00Z
            {"maxAttempts": 0}                         | 1 to 1000000
            {"maxAttempts": [1]}                       | not a task as JSON
            {"payloadBase64": "?"}                     | Base64
            {"payload": 1, "payloadText": "2"}         | one of them
            {"colors": 9}                              | colors
            {"priority": 10}                           | from 0 to 9
            {"payload":                                | not a task as JSON
            null                                       | null
            []                                         | not a task as JSON
            {"id": "a\\u0000b"}                        | control characters
            """)
    void unreadableTaskIsRefusedBeforeItIsPublished(String body, String named) {
        assertThat(json("/api/v1/queues/orders/tasks", body, 400).toString()).contains(named);
        assertThat(PLATFORM.published).isEmpty();
    }

    @Test
    void payloadOverTheLimitIsRefused() {
        String large = "x".repeat(1_025);
        send(
                HttpRequest.newBuilder(uri("/api/v1/queues/orders/tasks"))
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(large)),
                413);
        JsonNode problem = json("/api/v1/queues/orders/tasks", "{\"payloadText\": \"" + large + "\"}", 400);

        assertThat(problem.path("detail").asString()).contains("1025 bytes").contains("1024");
        json("/api/v1/queues/orders/tasks", " ".repeat(1_000_000), 413);
        assertThat(PLATFORM.published).isEmpty();
    }
}
