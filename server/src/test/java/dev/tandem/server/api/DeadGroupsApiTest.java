package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.operations.Operation;
import dev.tandem.task.Envelope;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Dead tasks by type and error, over HTTP. */
class DeadGroupsApiTest extends ApiTestBase {

    private static final String PATH = "/api/v1/queues/orders/dead-groups";
    private static final String SHIP = ErrorFingerprint.of("ship", "no answer within 30 s");

    static DeadGroups someGroups() {
        return new DeadGroups(
                1_242,
                2,
                16,
                true,
                List.of(
                        new DeadGroup(SHIP, "ship", "no answer within 31 s", 1_200, 16, 1_000, 3_000),
                        new DeadGroup("08a1b2c3d4e5", null, "HTTP status 503", 39, 0, 2_000, 2_500),
                        new DeadGroup(DeadGroup.OTHER, null, "", 1, 0, 2_000, 2_000)));
    }

    private static TaskInfo dead(String position, String type, String error) {
        Task task = new Task(null, "orders", type, "k", bytes("x"), Map.of(), 0, 0, 0, 0, null);
        return new TaskInfo(
                new TaskRef("0", position),
                TaskState.DEAD,
                Instant.parse("2026-11-20T10:00:00Z"),
                "k",
                3,
                null,
                null,
                new Envelope(task, 3, 9, error),
                null,
                List.of(),
                TaskNotes.NONE);
    }

    @Test
    void groupsAreShownWithTheTypesThatTasksAreShownWith() {
        PLATFORM.deadGroups = someGroups();
        JsonNode answer = get(PATH, 200);
        assertThat(answer.path("dead").asLong()).isEqualTo(1_242);
        assertThat(answer.path("ungrouped").asLong()).isEqualTo(2);
        assertThat(answer.path("partial").asBoolean()).isTrue();
        assertThat(answer.path("groups").get(0).toString())
                .isEqualTo("{\"fingerprint\":\"" + SHIP + "\",\"type\":\"ship\",\"error\":\"no answer within 31 s\","
                        + "\"count\":1200,\"halting\":16,\"firstDied\":\"1970-01-01T00:00:01Z\","
                        + "\"lastDied\":\"1970-01-01T00:00:03Z\"}");
        assertThat(answer.path("groups").get(1).path("type").asString())
                .as("the queue's handler")
                .isEqualTo("noop");
        assertThat(answer.path("groups").get(2).has("type")).isFalse();
        assertThat(answer.path("groups").get(2).has("error")).isFalse();
        assertThat(get(PATH + "?limit=1", 200).path("groups").size()).isEqualTo(1);
        assertThat(get(PATH + "?limit=0", 400).path("detail").asString()).contains("limit");
        assertThat(get("/api/v1/queues/none/dead-groups", 404).path("detail").asString())
                .contains("none");
    }

    @Test
    void groupsOfAllQueuesAreShownTogether() {
        PLATFORM.deadGroups = someGroups();
        // What was read of a partition is good for some seconds, for other tests too.
        PLATFORM.partitions.put("orders", List.of(OrdinaryPlatform.halting("all-groups-1")));
        PLATFORM.partitions.put("mail", List.of(OrdinaryPlatform.halting("all-groups-2")));

        JsonNode answer = get("/api/v1/dead-groups", 200);

        assertThat(answer.path("dead").asLong()).isGreaterThanOrEqualTo(2);
        assertThat(answer.path("partial").asBoolean()).isTrue();
        List<JsonNode> ofOrders = groups(answer, "orders");
        assertThat(ofOrders).extracting(group -> group.path("count").asLong()).containsExactly(1_200L, 39L, 1L);
        assertThat(ofOrders.get(0).path("fingerprint").asString()).isEqualTo(SHIP);
        assertThat(ofOrders.get(0).path("halting").asLong()).isEqualTo(16);
        assertThat(groups(answer, "mail"))
                .as("masked")
                .extracting(group -> group.path("error").asString())
                .first()
                .isEqualTo("***");
        assertThat(get("/api/v1/dead-groups?limit=1", 200).path("groups").size())
                .isEqualTo(1);
        assertThat(get("/api/v1/dead-groups?limit=0", 400).path("detail").asString())
                .contains("limit");
    }

    @Test
    void aQueueOfWhichRedisDoesNotAnswerIsNamed() {
        PLATFORM.deadGroups = someGroups();
        PLATFORM.partitions.put("orders", List.of(OrdinaryPlatform.halting("silent-1")));
        PLATFORM.silent.add("mail");

        JsonNode answer = get("/api/v1/dead-groups", 200);

        assertThat(names(answer.path("unknown"))).containsExactly("mail");
        assertThat(answer.path("partial").asBoolean()).isTrue();
        assertThat(groups(answer, "orders")).isNotEmpty();
        assertThat(answer.path("unread").has("mail")).isFalse();

        PLATFORM.silent.clear();
        assertThat(get("/api/v1/dead-groups", 200).has("unknown")).isFalse();
    }

    @Test
    void ifRedisDoesNotAnswerAllQueuesAreNamed() {
        PLATFORM.failure = new UnavailableException("Redis did not answer");

        JsonNode answer = get("/api/v1/dead-groups", 200);

        assertThat(names(answer.path("unknown"))).contains("orders", "mail");
        assertThat(answer.path("partial").asBoolean()).isTrue();
        assertThat(answer.path("groups").isEmpty()).isTrue();
    }

    private static List<String> names(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    private static List<JsonNode> groups(JsonNode answer, String queue) {
        return answer.path("groups")
                .valueStream()
                .filter(group -> group.path("queue").asString().equals(queue))
                .toList();
    }

    @Test
    void queuesSayHowManyOfTheirKeysAreHalted() {
        PLATFORM.partitions.put("orders", List.of(OrdinaryPlatform.halting("halted-1")));
        PLATFORM.deadGroups = someGroups();

        JsonNode queue = get("/api/v1/queues/orders", 200);

        assertThat(queue.path("blockedKeys").asLong()).isEqualTo(1);
        assertThat(queue.path("haltedKeys").asLong())
                .as("never more than are blocked")
                .isEqualTo(1);
        assertThat(queue.has("haltedKeysPartial")).isFalse();

        PLATFORM.partitions.put("orders", OrdinaryPlatform.tooManyHalting("halted-2-"));

        JsonNode orders = get("/api/v1/queues", 200)
                .path("queues")
                .valueStream()
                .filter(each -> each.path("name").asString().equals("orders"))
                .findFirst()
                .orElseThrow();
        assertThat(orders.path("haltedKeys").asLong()).isEqualTo(16);
        assertThat(orders.path("haltedKeysPartial").asBoolean()).isTrue();
        assertThat(orders.has("partitions")).isFalse();
    }

    @Test
    void errorsAreHiddenWherePayloadsAreMasked() {
        PLATFORM.deadGroups = someGroups();
        JsonNode groups = get("/api/v1/queues/mail/dead-groups", 200).path("groups");
        assertThat(groups.get(0).path("error").asString()).isEqualTo("***");
        assertThat(groups.toString()).doesNotContain("no answer");
    }

    @Test
    void aFingerprintChoosesTasksInListsAndOperations() {
        put(dead("1:1", "ship", "attempt 3 of 3 was the last: no answer within 30 s"));
        put(dead("1:2", "ship", "no answer within 31 s"));
        put(dead("1:3", "mail", "no answer within 31 s"));
        put(dead("1:4", "ship", "no answer at all"));
        assertThat(get("/api/v1/queues/orders/tasks?state=dead&fingerprint=" + SHIP, 200)
                        .path("tasks")
                        .valueStream()
                        .map(task -> task.path("ref").asString()))
                .containsExactly("@0/1:1", "@0/1:2");

        JsonNode begun = post("/api/v1/queues/orders/operations?action=skip&fingerprint=" + SHIP, 202);
        assertThat(begun.path("selection").path("fingerprint").asString()).isEqualTo(SHIP);
        Operation operation = OPERATIONS.known.get(0).operation();
        assertThat(operation.action()).isEqualTo(Operation.Action.SKIP);
        assertThat(operation.selection().fingerprint()).isEqualTo(SHIP);
        for (String wrong : List.of("other", "ABC", "", SHIP + "0")) {
            assertThat(get("/api/v1/queues/orders/tasks?fingerprint=" + wrong, 400)
                            .path("detail")
                            .asString())
                    .contains("fingerprint");
            post("/api/v1/queues/orders/operations?action=skip&fingerprint=" + wrong, 400);
        }
    }
}
