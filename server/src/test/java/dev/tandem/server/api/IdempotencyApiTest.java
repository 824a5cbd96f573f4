package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Requests with an Idempotency-Key happen once. */
class IdempotencyApiTest extends ApiTestBase {

    private static final String TASKS = "/api/v1/queues/orders/tasks";
    private static final String BATCH = TASKS + "/batch";

    private static JsonNode submit(String path, String key, String body, int status) {
        return send(
                HttpRequest.newBuilder(uri(path))
                        .header("Idempotency-Key", key)
                        .header("Content-Type", path.equals(BATCH) ? "application/x-ndjson" : "application/json")
                        .POST(BodyPublishers.ofString(body)),
                status);
    }

    private static List<String> ids() {
        synchronized (PLATFORM.published) {
            return PLATFORM.published.stream().map(Task::id).toList();
        }
    }

    @Test
    void aRepeatGetsTheSameAnswerAndPublishesNothing() {
        JsonNode first = submit(TASKS, "\"k-1\"", "{\"payload\": 1}", 202);

        assertThat(submit(TASKS, "\"k-1\"", "{\"payload\": 1}", 202)).isEqualTo(first);
        assertThat(submit(TASKS, "k-1", "{\"payload\": 1}", 202))
                .as("without quotes")
                .isEqualTo(first);
        assertThat(ids()).containsExactly(first.path("id").asString());
        await().until(() -> AUDIT.published.size() == 3);
        assertThat(AUDIT.published).extracting(entry -> entry.tasks()).containsExactlyInAnyOrder(1L, 0L, 0L);
    }

    @Test
    void anotherBodyIsRefusedAndAnotherQueueOrRouteIsAnotherRequest() {
        submit(TASKS, "k", "{\"payload\": 1}", 202);

        JsonNode problem = submit(TASKS, "k", "{\"payload\": 2}", 422);

        assertThat(problem.path("type").asString()).endsWith(":idempotency-key-reused");
        submit("/api/v1/queues/mail/tasks", "k", "{\"payload\": 2}", 202);
        submit(BATCH, "k", "{\"payload\": 2}", 202);
        assertThat(Set.copyOf(ids())).hasSize(3);
    }

    @Test
    void oneThatIsUnderWayIsNotBegunAgain() {
        CompletableFuture<PublishedId> slow = new CompletableFuture<>();
        PLATFORM.confirmed = slow;
        CompletableFuture<JsonNode> first = CompletableFuture.supplyAsync(() -> submit(TASKS, "k", "{}", 202));
        await().until(() -> PLATFORM.publishedCount() == 1);

        assertThat(submit(TASKS, "k", "{}", 409).path("type").asString()).endsWith(":idempotency-key-in-use");

        slow.complete(new PublishedId("x", "orders:0:1"));
        assertThat(submit(TASKS, "k", "{}", 202)).isEqualTo(first.join());
    }

    /** The server may have died before it could keep the answer, or the broker before it could confirm. */
    @Test
    void whatIsPublishedAgainIsRecognised() {
        PLATFORM.failure = new UnavailableException("Kafka does not answer");
        submit(TASKS, "k", "{}", 503);
        PLATFORM.failure = null;

        submit(TASKS, "k", "{}", 202);
        KEYED.entries.clear();
        submit(TASKS, "k", "{}", 202);

        Task first = PLATFORM.published.get(0);
        Task again = PLATFORM.published.get(1);
        assertThat(again.id()).isEqualTo(first.id()).startsWith("idempotent-");
        assertThat(again.dedupKey()).isEqualTo(first.id());
        assertThat(again.headers())
                .containsEntry(TaskHeaders.DEDUP_MODE, "first")
                .containsEntry(TaskHeaders.DEDUP_WINDOW, "86400000");
        KEYED.entries.clear();
        submit(TASKS, "k", "{\"payload\": 2}", 202);
        assertThat(ids().get(2)).as("another task").isNotEqualTo(first.id());
    }

    @Test
    void namesOfTheCallerStay() {
        submit(TASKS, "k", "{\"id\": \"mine\", \"dedupKey\": \"order-7\"}", 202);

        assertThat(ids()).containsExactly("mine");
        assertThat(PLATFORM.published.get(0).dedupKey()).isEqualTo("order-7");
        assertThat(PLATFORM.published.get(0).headers()).doesNotContainKey(TaskHeaders.DEDUP_WINDOW);
    }

    @Test
    void aBatchIsPublishedOnce() {
        String lines = "{\"payload\": 1}\n{\"payload\": 1}\nno task\n";
        JsonNode first = submit(BATCH, "k", lines, 202);

        assertThat(submit(BATCH, "k", lines, 202)).isEqualTo(first);
        assertThat(submit(BATCH, "k", lines + "{}", 422).path("type").asString())
                .endsWith(":idempotency-key-reused");

        assertThat(Set.copyOf(ids())).as("equal lines are two tasks").hasSize(2);
        KEYED.entries.clear();
        submit(BATCH, "k", lines, 202);
        assertThat(ids().subList(2, 4)).isEqualTo(ids().subList(0, 2));
    }

    @Test
    void anUnfinishedBatchIsBegunAgain() {
        PLATFORM.failure = new UnavailableException("Kafka does not answer");
        submit(BATCH, "k", "{}\n", 503);
        PLATFORM.failure = null;

        assertThat(submit(BATCH, "k", "{}\n", 202).path("accepted").asInt()).isEqualTo(1);
        KEYED.entries.replaceAll((id, answer) -> "");
        assertThat(submit(BATCH, "k", "{}\n", 409).path("type").asString()).endsWith(":idempotency-key-in-use");
    }

    @Test
    void withoutRedisOrRoomNothingIsPublished() {
        KEYED.failure = new UnavailableException("Redis is not available");
        for (String path : List.of(TASKS, BATCH)) {
            assertThat(submit(path, "k", "{}", 503).path("type").asString()).endsWith(":unavailable");
        }
        KEYED.failure = null;
        KEYED.full = KeyedRequests.State.FULL;
        for (String path : List.of(TASKS, BATCH)) {
            JsonNode problem = submit(path, "k", "{}", 503);
            assertThat(problem.path("type").asString()).endsWith(":idempotency-keys-full");
            assertThat(problem.path("detail").asString()).startsWith("1000000 Idempotency-Keys are kept");
        }
        KEYED.full = KeyedRequests.State.CALLER_FULL;
        for (String path : List.of(TASKS, BATCH)) {
            JsonNode problem = submit(path, "k", "{}", 503);
            assertThat(problem.path("detail").asString())
                    .startsWith("500000 Idempotency-Keys are kept of this caller")
                    .contains("256000000 bytes");
            assertThat(problem.path("remedy").asString())
                    .contains("tandem.api.idempotency.max (1000000", "tandem.api.idempotency.keep (86400 s)");
        }
        assertThat(ids()).isEmpty();
        json(TASKS, "{}", 202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"\"", "two words", "\"unclosed", "a\"b", "\\"})
    void whatIsNoKeyIsRefused(String key) {
        JsonNode problem = submit(TASKS, key, "{}", 400);

        assertThat(problem.at("/errors/0/header").asString()).isEqualTo("Idempotency-Key");
        submit(TASKS, "k".repeat(256), "{}", 400);
        assertThat(ids()).isEmpty();
    }
}
