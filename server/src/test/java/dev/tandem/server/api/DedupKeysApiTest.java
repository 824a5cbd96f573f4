package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the API says of deduplication keys, and of tasks that were duplicates. */
class DedupKeysApiTest extends ApiTestBase {

    @Test
    void aKeyIsShownWithTheTaskThatHasIt() {
        Instant came = Instant.parse("2026-11-20T10:00:00Z");
        PLATFORM.dedupKeys.put(
                "order/7",
                new DedupKeyInfo(
                        "waits", new TaskRef("0", "1:7"), "first", came, came, true, came.plusSeconds(600), 3));

        JsonNode key = get("/api/v1/queues/orders/dedup-keys/order%2F7", 200);

        assertThat(key.path("key").asString()).isEqualTo("order/7");
        assertThat(key.path("taken").asBoolean()).isTrue();
        assertThat(key.path("takenUntil").asString()).isEqualTo("2026-11-20T10:10:00Z");
        assertThat(key.path("id").asString()).isEqualTo("first");
        assertThat(key.path("ref").asString()).isEqualTo("@0/1:7");
        assertThat(key.path("state").asString()).isEqualTo("waits");
        assertThat(key.path("others").asInt()).isEqualTo(3);
    }

    @Test
    void anOperatorFreesAKey() {
        Instant came = Instant.parse("2026-11-20T10:00:00Z");
        PLATFORM.dedupKeys.put(
                "order-7",
                new DedupKeyInfo(
                        "waits", new TaskRef("0", "1:7"), "first", came, came, true, came.plusSeconds(600), 3));
        assertThat(free("orders", 202).path("changed").asInt()).isEqualTo(1);
        assertThat(free("orders", 202).path("changed").asInt(-1)).isZero();
        free("none", 404);
    }

    private static JsonNode free(String queue, int status) {
        return send("DELETE", "/api/v1/queues/" + queue + "/dedup-keys/order-7", null, null, status);
    }

    @Test
    void aKeyOfWhichNothingIsKnownIsFree() {
        JsonNode key = get("/api/v1/queues/orders/dedup-keys/order-7", 200);
        assertThat(key.path("taken").asBoolean(true)).isFalse();
        assertThat(key.propertyNames()).containsExactly("key", "taken");
        get("/api/v1/queues/none/dedup-keys/order-7", 404);
    }

    @Test
    void aDuplicateNamesTheOtherTask() {
        put(duplicateOfFirst("1:1", named("second")));
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:1", 200)
                        .path("duplicateOf")
                        .asString())
                .isEqualTo("first");
    }

    /** Returns a task that ended without a run, as a duplicate of the task {@code first}. */
    static TaskInfo duplicateOfFirst(String position, Task task) {
        return new TaskInfo(
                new TaskRef("0", position),
                TaskState.SUCCEEDED,
                null,
                "k",
                1,
                "e",
                null,
                new Envelope(task, 1, 0, null),
                0L,
                List.of(),
                TaskNotes.NONE,
                null,
                "first",
                null);
    }
}
